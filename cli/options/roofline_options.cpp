// SPDX-License-Identifier: Apache-2.0
#include "cli/options/roofline_options.hpp"

#include <CLI/CLI.hpp>

#include "cli/options/completer.hpp"

namespace dlscale::cli {

void add_roofline_options(CLI::App& app, forecast::RooflineChoice& choice) {
  app.add_option("--card", choice.card,
                 "of roofline: the model's card, which dlscale-train --describe writes")
      ->type_name(value_kind::kFile);
  app.add_option("--peak", choice.peak_tflops,
                 "of roofline: TFLOP/s of the device in the card's precision");
  app.add_option("--memory-bandwidth", choice.memory_gb_per_s, "of roofline: GB/s of its memory");
}

}  // namespace dlscale::cli
