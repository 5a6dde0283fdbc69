// SPDX-License-Identifier: Apache-2.0
// Selects the lines of one process in a log that several processes wrote.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {

/// Tests for the lines of a format. Each test receives a line without its launcher prefix.
struct OwnLines {
  /// Returns true for a line, including its end, that the program of the format wrote (usually
  /// LogFormat::recognises). The function is empty if single lines cannot be recognised.
  std::function<bool(std::string_view line)> are_own;
  /// Returns true for a line, without its end, that each rank writes about itself. The reader reads
  /// such lines from all ranks.
  std::function<bool(std::string_view line)> are_of_each_rank;
};

/// Selects the lines of one process in a log that several processes wrote. The selected process is
/// the lowest rank that wrote a line of the program, or else the lowest rank that wrote any line.
/// If ranks are local or unknown, several hosts have the same rank. In that case the first host
/// with such a line is selected. Lines that name no process are always read.
class RanksOfLog {
 public:
  explicit RanksOfLog(OwnLines own) : own_(std::move(own)) {}

  /// Returns true if the line must be read. `rest` is the text of the log after the line.
  bool counts(const LogLine& line, std::string_view rest);

  /// Returns the line number of the first line of the program that was ignored, or 0 if none was
  /// ignored.
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
  std::optional<Process> chosen_;  ///< selected process; empty until a line names a process
  int first_left_out_ = 0;
  std::int64_t left_out_ = 0;
};

}  // namespace dlscale::analysis
