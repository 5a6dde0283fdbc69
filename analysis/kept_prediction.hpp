// SPDX-License-Identifier: Apache-2.0
// A kept prediction of a point beside what its runs then measured.
#pragma once

#include <string>
#include <vector>

#include "contract/records/run_prediction.hpp"

namespace dlscale::analysis {

/// Of the runs of one point, as far as they were measured.
struct KeptPrediction {
  contract::RunPrediction said;  ///< the last one before the point's first launch, else the first
  bool afterwards = false;       ///< it was made after the first launch had started
  std::vector<std::string> run_ids;
  std::vector<double> memory_bytes;  ///< peak of a GPU's allocator, of each run on GPUs
};

}  // namespace dlscale::analysis
