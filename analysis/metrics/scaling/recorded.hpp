// SPDX-License-Identifier: Apache-2.0
// What the records of a run tell, and what they are silent on: logs of other programs have few of
// the parts of a step, and none of what was sent.
#pragma once

#include <vector>

#include "analysis/frame.hpp"

namespace dlscale::analysis {

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

}  // namespace dlscale::analysis
