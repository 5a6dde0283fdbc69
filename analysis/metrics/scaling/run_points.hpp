// SPDX-License-Identifier: Apache-2.0
// Repetitions of one point, put together, and what the records of a run tell.
#pragma once

#include <functional>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

// What the records of a run tell, and what they are silent on: logs of other programs have few of
// the parts of a step, and none of what was sent.

/// Whether anybody measured this part of the run's steps. dlscale-train measures each; of another
/// program's log a part is there if it took any time, and `other` is what it tells no part of.
bool tells(const RunRow& run, contract::StepPart part);

/// The same of several runs: whether any of them does.
bool tells(const std::vector<const RunRow*>& runs, contract::StepPart part);

/// Whether all of them tell their steps, so that there is a time of a step. Others have a time for
/// equal work alone.
bool tells_steps(const std::vector<const RunRow*>& runs);

/// Whether a run tells how long its steps took, and not just rates.
bool tells_time(const RunRow& run);

/// Whether anybody counted the bytes that collectives sent.
bool tells_bytes_sent(const RunRow& run);

// Repetitions of one point, put together.

/// Different GPU counts are never pooled, even at the same global batch: learning rates follow the
/// GPU count.
struct RunPoint {
  CurveKey key;                        ///< as of the scaling curve
  std::vector<const RunRow*> repeats;  ///< at least one; in the plan's order, living in the Frame
  const RunRow& first() const { return *repeats.front(); }
};

/// Points of the runs that `fits` wants, in the order of the curves, by ascending GPU count within
/// one.
std::vector<RunPoint> run_points(const Frame& frame,
                                 const std::function<bool(const RunRow&)>& fits);

std::vector<CurveKey> keys_of(const std::vector<RunPoint>& points);
Repeats repeats_of(const std::vector<RunPoint>& points);

}  // namespace dlscale::analysis
