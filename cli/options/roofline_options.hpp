// SPDX-License-Identifier: Apache-2.0
// The roofline figure's own options: a model's card and a device's two rates.
#pragma once

#include "forecast/prediction_figures.hpp"

namespace CLI {
class App;
}

namespace dlscale::cli {

/// Declares --card, --peak and --memory-bandwidth; `choice` must outlive the parsing.
void add_roofline_options(CLI::App& app, forecast::RooflineChoice& choice);

}  // namespace dlscale::cli
