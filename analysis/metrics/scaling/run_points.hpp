// SPDX-License-Identifier: Apache-2.0
// Groups the repeats of one point, and reports which measurements the records of a run contain.
#pragma once

#include <functional>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

// Measurements that the records of a run contain. Third-party logs contain few of the parts of a
// step and no sent bytes.

/// Returns true if this part of the run's steps was measured. dlscale-train measures each part. In
/// a third-party log, a part counts as measured if it took any time, and `other` contains the time
/// of the parts that are not recorded.
bool tells(const RunRow& run, contract::StepPart part);

/// Returns true if any of the runs measured this part.
bool tells(const std::vector<const RunRow*>& runs, contract::StepPart part);

/// Returns true if all runs recorded their steps, so that they have a step time. Runs without steps
/// only have a time for equal work.
bool tells_steps(const std::vector<const RunRow*>& runs);

/// Returns true if the run recorded how long its steps took, and not only rates.
bool tells_time(const RunRow& run);

/// Returns true if the bytes that collectives sent were counted.
bool tells_bytes_sent(const RunRow& run);

// Repeats of one point.

/// Repeats of one point. Different GPU counts are never pooled, even at the same global batch,
/// because learning rates follow the GPU count.
struct RunPoint {
  CurveKey key;                        ///< key of the scaling curve
  std::vector<const RunRow*> repeats;  ///< one or more, in the plan's order, owned by the Frame
  const RunRow& first() const { return *repeats.front(); }
};

/// Returns the points of the runs for which `fits` returns true, in the order of the curves and by
/// ascending GPU count within a curve.
std::vector<RunPoint> run_points(const Frame& frame,
                                 const std::function<bool(const RunRow&)>& fits);

std::vector<CurveKey> keys_of(const std::vector<RunPoint>& points);
Repeats repeats_of(const std::vector<RunPoint>& points);

}  // namespace dlscale::analysis
