// SPDX-License-Identifier: Apache-2.0
// `dlscale collect LOG... -o DIR`: logs of other programs become runs of a folder.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "analysis/store/import/import_logs.hpp"

namespace CLI {
class App;
}

namespace dlscale::cli {

/// What the command line says of logs; only with a folder for them.
struct LogOptions {
  analysis::ImportRequest request;
  std::string folder;                ///< -o; empty: there are no logs
  std::vector<std::string> columns;  ///< --map
  std::string decimal;               ///< "point" or "comma"; empty: as the numbers show it
  std::string pattern;               ///< TOML file
};

/// Declares the options; `options` must outlive the parsing.
void add_log_options(CLI::App& app, LogOptions& options);

/// Throws base::UsageError when one of them is given without the folder that all of them need.
void check_log_options(const LogOptions& options);

/// Imports the logs into the folder and reports to `out`. Returns false when a log was skipped that
/// was to be imported. Throws base::Error.
bool import_and_report(const LogOptions& options, const std::vector<std::string>& logs,
                       std::ostream& out);

/// The regular expressions of a TOML file (docs/importing.md). Throws base::SpecError with the
/// place of what is wrong.
analysis::MappedFormat read_pattern_file(const std::filesystem::path& file);

}  // namespace dlscale::cli
