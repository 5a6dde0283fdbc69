// SPDX-License-Identifier: Apache-2.0
// Whether a site file says of its cluster what the batch system says of it today.
#pragma once

#include <string>

#include "planner/site/site.hpp"
#include "runner/batch/cluster_probe.hpp"
#include "runner/batch/command_runner.hpp"
#include "workspace/doctor/check.hpp"

namespace dlscale::workspace {

/// The batch system's programs, whether it answers, and the comparison if it does.
Checks check_cluster(const planner::Site& site, runner::CommandRunner& commands);

/// A partition at a time: what is gone, smaller than the site file says, or larger.
Checks compare_with_cluster(const planner::Site& site, const runner::Cluster& cluster);

}  // namespace dlscale::workspace
