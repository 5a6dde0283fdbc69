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

/// Returns the standard deviation of the steps of one rank. Two such ranks wait this / √π on
/// average for each other, for any distribution (Gini's mean difference). Compares each block only
/// with the next block, so that slow changes do not count. All ranks of a machine may share slow
/// changes. The function estimates how much steps average out within a block by comparing pairs of
/// blocks with single blocks. Returns 0 for fewer than five blocks.
Seconds step_deviation(const std::vector<StepBlock>& blocks);

/// Returns the mean of the largest of `ranks` independent, normally distributed values, in standard
/// deviations above the mean of the values. The result is exact up to 10⁷ ranks. The result is 1/√π
/// for two ranks and 0 for one rank.
double mean_largest(int ranks);

/// Returns the deviation of a step with this batch whose computation takes the time `computing`.
/// The ratio of deviation and computation is the median of the measured runs with the nearest
/// number of ranks on a node, and of these with the nearest batch. Returns 0 if no deviation was
/// measured.
Seconds deviation_at(const std::vector<contract::ComputeTime>& measured, double batch,
                     int ranks_on_node, Seconds computing);

}  // namespace dlscale::predict
