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

/// Names of runs. A name is a stem and a hash. The hash alone identifies the run. The stem is for
/// readers, and does not change after the run has been planned for the first time.
class RunNames {
 public:
  /// Creates names for a plan folder without runs.
  RunNames() = default;
  /// Creates names for a plan folder. The runs of the folder keep their names.
  explicit RunNames(const contract::PlanDir& folder);

  /// Returns the common beginning of the ids of a point's runs, `<stem>-<hash>`. If the folder
  /// already has a run with this hash, the stem of that run is reused. A new stem consists of the
  /// framework, the model, the number of GPUs, the batch per GPU, and each axis of the matrix with
  /// several values, in the order of the matrix. Long stems are cut, because batch systems limit
  /// the length of job names.
  std::string point_id(const contract::RunSpec& run, const Matrix& matrix,
                       const std::vector<std::uint32_t>& values) const;

 private:
  std::unordered_map<std::string, std::string> ids_;  ///< point ids by hash
};

}  // namespace dlscale::planner
