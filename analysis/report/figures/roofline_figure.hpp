// SPDX-License-Identifier: Apache-2.0
// Draws the roofline of a device with the performance that a study's runs reached. Source:
// Williams, Waterman and Patterson: Roofline, CACM 52(4), 2009.
#pragma once

#include <map>
#include <string>

#include "analysis/report/figures/figure.hpp"
#include "analysis/report/tables/tables.hpp"
#include "contract/records/model_card.hpp"
#include "predict/roofline.hpp"

namespace dlscale::analysis {

/// Shape of a sample such as "3x224x224", by run id, for runs that record it.
using SampleInputs = std::map<std::string, std::string>;

/// Returns a figure of the FLOP/s of one GPU over FLOPs per byte. FLOPs and bytes are those of the
/// forward and backward passes that the cost model gives for the batch of each point. The figure
/// shows the measured performance of each point that the cost model belongs to, and the bound of
/// its layers when they run one after the other. The roof is min(peak, intensity x memory
/// bandwidth). The cost model belongs to runs with the same model, precision, input and number of
/// trainable parameters. The last two are compared only if they are known. The last note lists the
/// other points with the reasons.
Figure roofline_figure(const Frame& frame, const AnalysisOptions& options,
                       const contract::ModelCard& card, const predict::Rates& rates,
                       const SampleInputs& inputs);

}  // namespace dlscale::analysis
