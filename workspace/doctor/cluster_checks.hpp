// SPDX-License-Identifier: Apache-2.0
// Compares a site file with the data that the scheduler reports about the cluster.
#pragma once

#include <string>

#include "planner/site/site.hpp"
#include "runner/batch/cluster_probe.hpp"
#include "runner/batch/command_runner.hpp"
#include "workspace/doctor/check.hpp"

namespace dlscale::workspace {

/// Checks that the programs of the scheduler exist and that the scheduler answers. If it answers,
/// compares the site file with the cluster.
Checks check_cluster(const planner::Site& site, runner::CommandRunner& commands);

/// Returns a check for each partition, which reports resources that are missing or differ from the
/// site file, and a check for each queue that reports its free nodes.
Checks compare_with_cluster(const planner::Site& site, const runner::Cluster& cluster);

}  // namespace dlscale::workspace
