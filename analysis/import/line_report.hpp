// SPDX-License-Identifier: Apache-2.0
// Reports for each line of a log what a format reads from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/import/reading/log_format.hpp"

namespace dlscale::analysis {

struct LineReport {
  int number = 0;
  std::string_view text;          ///< line without its end; refers to the text of the log
  std::vector<std::string> read;  ///< results, "skipped: …", or empty for an ignored line
};

struct LogReport {
  std::vector<LineReport> lines;
  LogContent content;
};

/// Calls `watch` for each record of a log with a description of the record, and for each skipped
/// line with the reason.
void report_records(const contract::ResultsFile& file, const WatchLine& watch);

/// Reads the log and reports its lines. `text` has no launcher prefixes.
LogReport report_lines(const LogFormat& format, std::string_view text,
                       const contract::RunSpec& run);

}  // namespace dlscale::analysis
