// SPDX-License-Identifier: Apache-2.0
// Warns of external runs that completed without records.
#pragma once

#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::analysis {
struct Frame;
}

namespace dlscale::workspace {

/// Returns a message on completed runs of which no measurement was read, or an empty text without
/// such runs. The message names the file in which the last launch of the first run was expected to
/// write records, and explains how to make dlscale read the output of the launch. `runs` are the
/// runs without measurements.
std::string nothing_read(const contract::Plan& plan, const contract::PlanDir& folder,
                         const std::vector<std::string>& runs);

/// Returns the message of nothing_read() for the runs of a collected study that completed without
/// measurements.
std::string nothing_read(const analysis::Frame& frame, const contract::PlanDir& folder);

/// Returns those completed external runs whose last launch left no measurements in the file that
/// their format reads. To save time, all completed runs of a format count as runs with
/// measurements as soon as one of them has measurements.
std::vector<std::string> runs_without_records(const contract::Plan& plan,
                                              const contract::PlanDir& folder,
                                              const std::vector<std::string>& completed);

}  // namespace dlscale::workspace
