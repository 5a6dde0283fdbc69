// SPDX-License-Identifier: Apache-2.0
// What the runs of a study are called.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "contract/plan/run_dir.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "planner/study/study.hpp"

namespace dlscale::planner {

/// The hash alone identifies a run. What stands before it is for people, and stays as it was when
/// the run was first planned.
class RunNames {
 public:
  /// For a folder without runs.
  RunNames() = default;
  /// For the folder of a plan, whose runs keep their names.
  explicit RunNames(const contract::PlanDir& folder);

  /// What the ids of a point's runs begin with: `<stem>-<hash>`, as the folder has it. Else the
  /// stem has the framework, the model, GPUs and batch per GPU, and each further axis of the matrix
  /// with several values, in its order, cut off where names of jobs become too long.
  std::string point_id(const contract::RunSpec& run, const Matrix& matrix,
                       const std::vector<std::uint32_t>& values) const;

 private:
  std::unordered_map<std::string, std::string> ids_;  ///< hash → point id
};

}  // namespace dlscale::planner
