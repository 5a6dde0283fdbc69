// SPDX-License-Identifier: Apache-2.0
// What follows from a study for one run, as people check it before they spend GPU time.
#pragma once

#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::workspace {

inline constexpr const char* kUnknownFact = "-";

struct RunFact {
  std::string name;
  std::string value;  ///< kUnknownFact where nothing is known
};

/// GPUs, batches, steps, learning rate, time and cost: the same names in the same order for every
/// run. Steps need the size of the data set: that of the study, or of its kind where it is fixed.
std::vector<RunFact> facts_of(const contract::RunSpec& run, const contract::PlannedRun& planned,
                              const contract::PlannedJob& job);

/// Returns the predicted run time with its band: "2:03:00 (1:50:00 to 2:40:00)".
std::string predicted_text(const contract::PlannedRun& run);

/// GPU-hours: few as they are, many without a fraction: 0.75, 12, 2322432.
std::string hours(double gpu_hours);

}  // namespace dlscale::workspace
