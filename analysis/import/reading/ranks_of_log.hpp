// SPDX-License-Identifier: Apache-2.0
// Whose lines count in a log in which several processes write.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {

/// What a format's lines are. Each predicate gets one line without launcher prefix.
struct OwnLines {
  /// True for the program's own lines, with their ends (a format's `recognises`). Empty if single
  /// lines do not show it.
  std::function<bool(std::string_view line)> are_own;
  /// True for lines that each rank writes about itself, without their ends. They count from all
  /// ranks.
  std::function<bool(std::string_view line)> are_of_each_rank;
};

/// Selects the lines of one process: of the lowest rank that wrote an own line, or else of the
/// lowest rank that wrote anything. Where ranks are local or unknown, several hosts have the same
/// rank: the first host counts that wrote such a line. Lines of unknown processes count all.
class RanksOfLog {
 public:
  explicit RanksOfLog(OwnLines own) : own_(std::move(own)) {}

  /// Whether the line counts; `rest` is what is behind it in the log.
  bool counts(const LogLine& line, std::string_view rest);

  /// The first own line that does not count; 0: all do.
  int first_left_out() const { return first_left_out_; }
  std::string what_is_left_out() const;

 private:
  struct Process {
    int rank = -1;
    std::string host;
  };
  bool is_own(const LogLine& line) const { return own_.are_own && own_.are_own(line.with_end); }
  Process choose(const LogLine& first, std::string_view rest) const;

  OwnLines own_;
  std::optional<Process> chosen_;  ///< whose lines count; empty before the first marked line
  int first_left_out_ = 0;
  std::int64_t left_out_ = 0;
};

}  // namespace dlscale::analysis
