// SPDX-License-Identifier: Apache-2.0
// What the runs of a collected study measured of steps, exchange, loading and memory.
#pragma once

#include <filesystem>
#include <string>

#include "contract/plan/run_dir.hpp"
#include "contract/records/calibration.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::forecast {

struct StudyMeasurements {
  contract::Calibration calibration;  ///< compute, exchange, loading, all_reduce, memory, device
  int runs = 0;                       ///< that they are of
  int passed_over = 0;  ///< without step times, or of frameworks that are not modelled
};

/// Of the chosen runs. An all-reduce's message is the mean one of a step: bytes and busy seconds of
/// a step, without waiting for other ranks, by the number of messages, as the model's card in
/// `cards` has it. None without a card,
/// and of runs whose collectives are others too: ZeRO from stage 1 on, synchronised batch norms.
/// Without a card there is no peak of memory either.
/// Throws base::RunError where the folder is not collected.
StudyMeasurements study_measurements(const contract::PlanDir& folder,
                                     const workspace::SelectionChoice& runs,
                                     const std::filesystem::path& cards);

}  // namespace dlscale::forecast
