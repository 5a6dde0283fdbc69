// SPDX-License-Identifier: Apache-2.0
#include "cli/options/checkpoint_options.hpp"

#include <CLI/CLI.hpp>

#include "cli/options/completer.hpp"

namespace dlscale::cli {

void add_checkpoint_options(CLI::App& app, forecast::CheckpointQuestion& question) {
  app.add_option("--mtbf", question.node_mtbf_h,
                 "also say how often to save a run's state, where a node fails every so many hours")
      ->check(CLI::PositiveNumber)
      ->type_name("HOURS");
  app.add_option("--checkpoint-write", question.write,
                 "how long that takes: seconds, or a plan folder whose runs have done so "
                 "(default: that of --keep)")
      ->type_name(value_kind::kFolder);
}

}  // namespace dlscale::cli
