// SPDX-License-Identifier: Apache-2.0
// What follows from a study for one run, as people check it before they spend GPU time.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "runner/status/run_states.hpp"

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

/// What a plan folder says of some of its runs, read once for all of them.
class ShownRuns {
 public:
  /// `plan` and `folder` must outlive this. Throws what run_states throws.
  ShownRuns(const contract::Plan& plan, const contract::PlanDir& folder,
            const std::vector<const contract::PlannedRun*>& runs);

  /// Returns the run's full description.
  contract::RunSpec description(const contract::PlannedRun& run);

  /// Returns state, point and repetition of a run, facts_of, then its job and where its files are.
  /// Throws base::SpecError for a run whose job the plan does not have.
  std::vector<RunFact> facts(const contract::PlannedRun& run);

 private:
  const contract::PlannedJob& job_of(const contract::PlannedRun& run) const;

  const contract::Plan& plan_;
  const contract::PlanDir& folder_;
  contract::RunTables tables_;
  std::unordered_map<std::string_view, const contract::PlannedJob*> jobs_;  ///< by name
  runner::States states_;                                                   ///< by run id
};

}  // namespace dlscale::workspace
