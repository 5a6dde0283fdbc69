// SPDX-License-Identifier: Apache-2.0
// `dlscale collect LOG... -o DIR`: logs of other programs become runs of a folder.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "analysis/import/import_logs.hpp"

namespace dlscale::workspace {

/// What the command line says of logs; only with a folder for them.
struct LogOptions {
  analysis::ImportRequest request;
  std::string folder;                ///< -o; empty: there are no logs
  std::vector<std::string> columns;  ///< --map
  std::string decimal;               ///< "point" or "comma"; empty: as the numbers show it
  std::string pattern;               ///< TOML file
};

/// The words that --format may have.
std::vector<std::string> log_format_names();

/// Imports the logs into the folder and reports to `out`. Returns false when a log was skipped that
/// was to be imported. Throws base::Error.
bool import_and_report(const LogOptions& options, const std::vector<std::string>& logs,
                       std::ostream& out);

}  // namespace dlscale::workspace
