// SPDX-License-Identifier: Apache-2.0
// Groups runs into points of repeats, and reports which measurements the records of a run contain.
#pragma once

#include <functional>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

// Queries for the measurements that the records of a run contain. Third-party logs contain the
// times of few step parts and no counts of sent bytes.

/// Returns true if this part of the run's steps was measured. dlscale-train measures every part. In
/// a third-party log, a part counts as measured if its time is above 0. The part `other` always
/// counts as measured, because it contains the time of all parts that are not recorded.
bool tells(const RunRow& run, contract::StepPart part);

/// Returns true if any of the runs measured this part of its steps.
bool tells(const std::vector<const RunRow*>& runs, contract::StepPart part);

/// Returns true if all runs recorded their steps. Without steps, a run has a time per sample, but
/// no step time.
bool tells_steps(const std::vector<const RunRow*>& runs);

/// Returns true if the run recorded how long its training took. Some third-party logs contain only
/// rates in samples per second.
bool tells_time(const RunRow& run);

/// Returns true if the run counted the bytes that its ranks passed to collectives.
bool tells_bytes_sent(const RunRow& run);

// Grouping of runs into points: runs with the same configuration are repeats of one point.

/// Runs of one point: repeats with equal axis values, GPU count and global batch. Runs with
/// different GPU counts are different points even at the same global batch, because the learning
/// rate may depend on the GPU count.
struct RunPoint {
  CurveKey key;                        ///< key of the scaling curve
  std::vector<const RunRow*> repeats;  ///< one or more runs in the plan's order, owned by the Frame
  const RunRow& first() const { return *repeats.front(); }
};

/// Returns the points of the runs for which `fits` returns true, in the order of the curves and by
/// ascending GPU count within a curve.
std::vector<RunPoint> run_points(const Frame& frame,
                                 const std::function<bool(const RunRow&)>& fits);

/// Returns the points at which every run ended without a result: out of memory, out of time,
/// diverged, lost or failed for another reason. The result excludes points with a run that was
/// cancelled, was preempted, has not ended or completed.
std::vector<RunPoint> failed_points(const Frame& frame);

std::vector<CurveKey> keys_of(const std::vector<RunPoint>& points);
Repeats repeats_of(const std::vector<RunPoint>& points);

}  // namespace dlscale::analysis
