// SPDX-License-Identifier: Apache-2.0
// Names the runs of a study.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "contract/plan/run_dir.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "planner/study/study.hpp"

namespace dlscale::planner {

/// Names of runs. The hash alone identifies a run. The stem before the hash is for people and does
/// not change after the run was first planned.
class RunNames {
 public:
  /// Names runs in a folder without runs.
  RunNames() = default;
  /// Keeps the names of the runs in a plan folder.
  explicit RunNames(const contract::PlanDir& folder);

  /// Returns the common beginning of the ids of a point's runs, `<stem>-<hash>`. A name that the
  /// folder already has for the hash is reused. A new stem has the framework, the model, the number
  /// of GPUs, the batch per GPU, and then each axis of the matrix with several values, in the order
  /// of the matrix. Long stems are cut, because batch systems limit the length of job names.
  std::string point_id(const contract::RunSpec& run, const Matrix& matrix,
                       const std::vector<std::uint32_t>& values) const;

 private:
  std::unordered_map<std::string, std::string> ids_;  ///< hash → point id
};

}  // namespace dlscale::planner
