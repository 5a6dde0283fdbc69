// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/machine.hpp"

#include <algorithm>

#include "runner/batch/job_scheduler.hpp"

namespace dlscale::workspace {

planner::Machine this_machine() {
  const runner::Machine machine = runner::this_machine();
  return {machine.cores, static_cast<int>(machine.gpus.size())};
}

int most_ranks(const contract::Plan& plan, const planner::Machine& machine) {
  if (plan.scheduler != "local") return 0;
  int most = 0;
  for (const contract::PlannedJob& job : plan.jobs) {
    const int fitting = planner::most_ranks(machine, job.resources);
    if (fitting > 0) most = most == 0 ? fitting : std::min(most, fitting);
  }
  return most;
}

}  // namespace dlscale::workspace
