// SPDX-License-Identifier: Apache-2.0
// The roofline of a device with what a study's runs reached under it. Williams, Waterman and
// Patterson: Roofline, CACM 52(4), 2009.
#pragma once

#include "analysis/report/figure.hpp"
#include "analysis/report/tables.hpp"
#include "contract/model_card.hpp"
#include "predict/device.hpp"

namespace dlscale::analysis {

/// FLOP/s of a GPU over FLOPs a byte, both of forward and backward passes by the card's count: of
/// each point with the card's model and precision what was reached, and what its layers allow one
/// after the other; above them min(peak, intensity x memory bandwidth). Other runs are told of in a
/// note.
Figure roofline_figure(const Frame& frame, const AnalysisOptions& options,
                       const contract::ModelCard& card, const predict::Rates& rates);

}  // namespace dlscale::analysis
