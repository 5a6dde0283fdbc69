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

Action define_check_format(CLI::App& app) {
  const auto check = std::make_shared<workspace::FormatCheck>();
  app.add_option("FORMAT", check->format, "name of a log format, or a format file (.toml)")
      ->required()
      ->type_name(value_kind::kFile);
  app.add_option("FILE", check->logs, "logs to read")->required()->type_name(value_kind::kFile);
  app.add_option(
         "--set", check->stated,
         "NAME=VALUE: value of the run that the log does not state, such as gpus=8 (default: "
         "the values in run.json for a log in a plan folder)")
      ->allow_extra_args(false);
  return [check] {
    return workspace::check_format(*check, std::cout) ? kExitOk : kExitNothingMatched;
  };
}

}  // namespace

extern const CommandEntry check_format_entry;
const CommandEntry check_format_entry{"check-format",
                                      "Show what a log format reads from each line of a log",
                                      "dlscale check-format mine.toml run.log --set gpus=8\n"
                                      "  dlscale check-format timm stdout",
                                      &define_check_format};

}  // namespace dlscale::cli
