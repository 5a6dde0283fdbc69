// SPDX-License-Identifier: Apache-2.0
// How long ranks that step together wait for the slowest of them.
#pragma once

#include <vector>

#include "contract/records/calibration.hpp"
#include "predict/units.hpp"

namespace dlscale::predict {

/// Consecutive steps of a rank, timed together.
struct StepBlock {
  double steps = 1;
  double work_s = 0;  ///< of all of them, without waiting for other ranks
};

/// The standard deviation of a step from the next, of a rank alone: what two such ranks would wait
/// is this / √π on average, whatever the distribution (Gini's mean difference). Blocks are compared
/// with the next one alone, so that slow changes, which all ranks of a machine may share, do not
/// count. How much steps of a block even out follows from how much pairs of blocks do. 0 where
/// fewer than five blocks say nothing.
Seconds step_deviation(const std::vector<StepBlock>& blocks);

/// The largest of so many independent, normally distributed values, on average, in standard
/// deviations above their mean: exact up to 10⁷ ranks, 1/√π of two, 0 of one.
double mean_largest(int ranks);

/// The deviation of a step that computes for so long with this batch: in proportion as measured on
/// the nearest number of ranks of a node, and of these at the nearest batch, the middle of its
/// runs. 0 where none was measured.
Seconds deviation_at(const std::vector<contract::ComputeTime>& measured, double batch,
                     int ranks_on_node, Seconds computing);

}  // namespace dlscale::predict
