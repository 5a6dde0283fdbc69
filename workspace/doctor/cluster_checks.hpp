// SPDX-License-Identifier: Apache-2.0
// Compares a site file with the cluster as the scheduler reports it.
#pragma once

#include <string>

#include "planner/site/site.hpp"
#include "runner/batch/cluster_probe.hpp"
#include "runner/batch/command_runner.hpp"
#include "workspace/doctor/check.hpp"

namespace dlscale::workspace {

/// Checks the programs of the scheduler, whether it answers, and if so the comparison.
Checks check_cluster(const planner::Site& site, runner::CommandRunner& commands);

/// Compares one partition: missing resources, and resources smaller or larger than in the site
/// file.
Checks compare_with_cluster(const planner::Site& site, const runner::Cluster& cluster);

}  // namespace dlscale::workspace
