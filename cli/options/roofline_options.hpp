// SPDX-License-Identifier: Apache-2.0
// Declares the options of the roofline figure: a model card and two rates of a device.
#pragma once

#include "forecast/prediction_figures.hpp"

namespace CLI {
class App;
}

namespace dlscale::cli {

/// Declares --card, --peak and --memory-bandwidth. `choice` must outlive the parsing of the command
/// line.
void add_roofline_options(CLI::App& app, forecast::RooflineChoice& choice);

}  // namespace dlscale::cli
