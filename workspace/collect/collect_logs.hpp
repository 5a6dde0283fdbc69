// SPDX-License-Identifier: Apache-2.0
// Imports logs of other programs as runs of a folder (`dlscale collect LOG... -o DIR`).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "analysis/import/import_logs.hpp"

namespace dlscale::workspace {

/// Options for the logs on the command line. Importing logs requires -o.
struct LogOptions {
  analysis::ImportRequest request;
  std::string folder;                ///< folder from -o; empty = no logs are imported
  std::vector<std::string> columns;  ///< arguments of --map
  /// Decimal sign: "point" or "comma". Empty means that the sign is detected from the numbers.
  std::string decimal;
  std::string pattern;  ///< TOML file from --pattern
};

/// Returns the names that --format accepts.
std::vector<std::string> log_format_names();

/// Imports the logs into the folder and writes a report to `out`. Returns false if a requested log
/// was skipped. Throws base::Error if the logs cannot be imported.
bool import_and_report(const LogOptions& options, const std::vector<std::string>& logs,
                       std::ostream& out);

}  // namespace dlscale::workspace
