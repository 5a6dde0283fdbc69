// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale check-format`, which shows what a log format reads from each line of a log.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/options/completer.hpp"
#include "workspace/collect/check_format.hpp"

namespace dlscale::cli {
namespace {

struct CheckFormatOptions {
  workspace::FormatCheck check;    ///< `log` is the file that is being read
  std::vector<std::string> files;  ///< logs to read, in this order
};

/// Checks the format with each log. Prints the name of each log if there are several. Returns
/// kExitNothingMatched if nothing was read from one of the logs.
int check_each_log(CheckFormatOptions options) {
  bool all_read = true;
  for (const std::string& file : options.files) {
    if (options.files.size() > 1) {
      std::cout << (&file == &options.files.front() ? "" : "\n") << file << ":\n";
    }
    options.check.log = file;
    all_read = workspace::check_format(options.check, std::cout) > 0 && all_read;
  }
  return all_read ? kExitOk : kExitNothingMatched;
}

Action define_check_format(CLI::App& app) {
  const auto options = std::make_shared<CheckFormatOptions>();
  workspace::FormatCheck* const check = &options->check;
  app.add_option("FORMAT", check->format, "name of a log format, or a format file (.toml)")
      ->required()
      ->type_name(value_kind::kFile);
  app.add_option("FILE", options->files, "logs to read")->required()->type_name(value_kind::kFile);
  app.add_option(
         "--set", check->stated,
         "NAME=VALUE: value of the run that the log does not state, such as gpus=8 (default: "
         "the values in run.json for a log in a plan folder)")
      ->allow_extra_args(false);
  return [options] { return check_each_log(*options); };
}

}  // namespace

extern const CommandEntry check_format_entry;
const CommandEntry check_format_entry{"check-format",
                                      "Show what a log format reads from each line of a log",
                                      "dlscale check-format mine.toml run.log --set gpus=8\n"
                                      "  dlscale check-format timm stdout",
                                      &define_check_format};

}  // namespace dlscale::cli
