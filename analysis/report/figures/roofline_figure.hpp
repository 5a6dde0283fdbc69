// SPDX-License-Identifier: Apache-2.0
// The roofline of a device with what a study's runs reached under it. Williams, Waterman and
// Patterson: Roofline, CACM 52(4), 2009.
#pragma once

#include <map>
#include <string>

#include "analysis/report/figures/figure.hpp"
#include "analysis/report/tables/tables.hpp"
#include "contract/records/model_card.hpp"
#include "predict/roofline.hpp"

namespace dlscale::analysis {

/// "3x224x224" by run id: what a sample of a run is, of those that say it.
using SampleInputs = std::map<std::string, std::string>;

/// FLOP/s of a GPU over FLOPs a byte, both of forward and backward passes by the card's count at
/// the point's own batch: of each point that the card is of what was reached, and what its layers
/// allow one after the other; above them min(peak, intensity x memory bandwidth). The card is of
/// runs of its model, precision, input and number of trainable parameters; the last two count where
/// they are known. Which others there are, and why, is the last note.
Figure roofline_figure(const Frame& frame, const AnalysisOptions& options,
                       const contract::ModelCard& card, const predict::Rates& rates,
                       const SampleInputs& inputs);

}  // namespace dlscale::analysis
