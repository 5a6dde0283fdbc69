// SPDX-License-Identifier: Apache-2.0
// Whose lines count in a log in which several ranks write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/store/formats/log_lines.hpp"

namespace dlscale::analysis {

/// What a format's lines are; each is asked about one line without its launcher's prefix.
struct OwnLines {
  /// The program's own, with their ends (a format's `recognises`); null: not told by single lines.
  bool (*are_own)(std::string_view line) = nullptr;
  /// Those that each rank writes of itself alone, without their ends: they count of all ranks.
  bool (*are_of_each_rank)(std::string_view line) = nullptr;
};

/// Of lines with a launcher's prefix those of one rank count: of the lowest that wrote an own line,
/// or else of the lowest that wrote anything. Lines without a prefix count all.
class RanksOfLog {
 public:
  explicit RanksOfLog(const OwnLines& own) : own_(own) {}

  /// Whether the line counts; `rest` is what is behind it in the log.
  bool counts(const LogLine& line, std::string_view rest);

  /// The first own line that does not count; 0: all do.
  int first_left_out() const { return first_left_out_; }
  std::string what_is_left_out() const;

 private:
  bool is_own(const LogLine& line) const { return own_.are_own && own_.are_own(line.with_end); }
  int choose(LogLine first, std::string_view rest) const;

  OwnLines own_;
  std::optional<int> rank_;  ///< that counts; nothing before the first line with a prefix
  int first_left_out_ = 0;
  std::int64_t left_out_ = 0;
};

}  // namespace dlscale::analysis
