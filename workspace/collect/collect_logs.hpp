// SPDX-License-Identifier: Apache-2.0
// Imports logs of other programs as runs of a folder (`dlscale collect LOG... -o DIR`).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "analysis/import/import_logs.hpp"

namespace dlscale::workspace {

/// Options for logs on the command line. They need -o.
struct LogOptions {
  analysis::ImportRequest request;
  std::string folder;                ///< -o; empty: no logs are imported
  std::vector<std::string> columns;  ///< --map
  std::string decimal;               ///< "point" or "comma"; empty: detected from the numbers
  std::string pattern;               ///< TOML file
};

/// Returns the valid values of --format.
std::vector<std::string> log_format_names();

/// Imports the logs into the folder and reports to `out`. Returns false if a log that should be
/// imported was skipped. Throws base::Error.
bool import_and_report(const LogOptions& options, const std::vector<std::string>& logs,
                       std::ostream& out);

}  // namespace dlscale::workspace
