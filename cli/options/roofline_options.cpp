// SPDX-License-Identifier: Apache-2.0
#include "cli/options/roofline_options.hpp"

#include <CLI/CLI.hpp>

#include "cli/options/completer.hpp"

namespace dlscale::cli {

void add_roofline_options(CLI::App& app, forecast::RooflineChoice& choice) {
  app.add_option("--card", choice.card,
                 "for roofline: model card, written by dlscale-train --describe")
      ->type_name(value_kind::kFile);
  app.add_option("--peak", choice.peak_tflops,
                 "for roofline: peak TFLOP/s of the device in the precision of the model card");
  app.add_option("--memory-bandwidth", choice.memory_gb_per_s,
                 "for roofline: memory bandwidth of the device in GB/s");
}

}  // namespace dlscale::cli
