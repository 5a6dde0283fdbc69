// SPDX-License-Identifier: Apache-2.0
#include "cli/options/checkpoint_options.hpp"

#include <CLI/CLI.hpp>

#include "cli/options/completer.hpp"

namespace dlscale::cli {

void add_checkpoint_options(CLI::App& app, forecast::CheckpointQuestion& question) {
  app.add_option(
         "--mtbf", question.node_mtbf_h,
         "also print the optimal checkpoint interval, if a node fails every HOURS hours on average")
      ->check(CLI::PositiveNumber)
      ->type_name("HOURS");
  app.add_option("--checkpoint-write", question.write,
                 "time to write a checkpoint: seconds, or a plan folder with recorded checkpoints "
                 "(default: the folder of --keep)")
      ->type_name(value_kind::kFolder);
}

}  // namespace dlscale::cli
