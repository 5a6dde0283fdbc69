// SPDX-License-Identifier: Apache-2.0
// Draws the roofline of a device together with the performance that a study's runs reached. Source:
// Williams, Waterman and Patterson: Roofline, CACM 52(4), 2009.
#pragma once

#include <map>
#include <string>

#include "analysis/report/figures/figure.hpp"
#include "analysis/report/tables/tables.hpp"
#include "contract/records/model_card.hpp"
#include "predict/roofline.hpp"

namespace dlscale::analysis {

/// Shape of the input samples of a run, such as "3x224x224", and the settings of its model.
struct SampleInput {
  std::string shape;
  contract::ModelOptions options;
};

/// Inputs by run id. Contains only the runs that record the shape.
using SampleInputs = std::map<std::string, SampleInput>;

/// Returns a figure of the FLOP/s of one GPU over the arithmetic intensity in FLOPs per byte. It
/// shows three things:
/// - a mark for each point of the study: the measured performance. The number of FLOPs and bytes of
///   the point's forward and backward pass comes from the cost model `card`, for the point's batch
///   per GPU.
/// - a bound for each batch: the performance that the cost model predicts if the layers run one
///   after the other
/// - the roof: min(peak, intensity x memory bandwidth)
/// Points are shown only if their model and its settings, precision, input shape and number of
/// trainable parameters are those of the cost model. The settings, the input shape and the number
/// of parameters are compared only if the run records them. The last note lists the points that are
/// not shown, with the reasons.
Figure roofline_figure(const Frame& frame, const AnalysisOptions& options,
                       const contract::ModelCard& card, const predict::Rates& rates,
                       const SampleInputs& inputs);

}  // namespace dlscale::analysis
