// SPDX-License-Identifier: Apache-2.0
// Predicts how long ranks that step together wait for the slowest rank.
#pragma once

#include <vector>

#include "contract/records/calibration.hpp"
#include "predict/units.hpp"

namespace dlscale::predict {

/// Consecutive steps of a rank that are timed together.
struct StepBlock {
  double steps = 1;
  double work_s = 0;  ///< seconds of all steps, without waiting for other ranks
};

/// Returns the standard deviation of the step time of one rank. If two ranks have this deviation,
/// the faster rank waits deviation / √π for the slower rank on average. This relation holds for any
/// distribution of step times, because the deviation is computed from mean differences (Gini). Each
/// block is compared only with the next block, so that slow changes do not count. All ranks of a
/// machine may share slow changes. Deviations of the steps within a block partly cancel. The
/// function estimates how much they cancel by comparing pairs of blocks with single blocks. Returns
/// 0 for fewer than five blocks.
Seconds step_deviation(const std::vector<StepBlock>& blocks);

/// Returns the mean of the largest of `ranks` independent values with a standard normal
/// distribution. The result is exact up to 10⁷ ranks. The result is 1/√π for two ranks and 0 for
/// one rank.
double mean_largest(int ranks);

/// Returns the standard deviation of the time of a step that processes `batch` samples with the
/// computation time `computing`. The result is `computing` times the median ratio of deviation to
/// computation in measured runs. Uses only the runs whose number of ranks on a node is nearest to
/// `ranks_on_node`, and among these runs, only the runs whose batch is nearest to `batch`. Returns
/// 0 if no deviation was measured.
Seconds deviation_at(const std::vector<contract::ComputeTime>& measured, double batch,
                     int ranks_on_node, Seconds computing);

}  // namespace dlscale::predict
