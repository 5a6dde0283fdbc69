// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/machine.hpp"

#include <catch2/catch.hpp>

using namespace dlscale;
using workspace::most_ranks;

TEST_CASE("the cores or GPUs of the machine limit the ranks of local plans only") {
  contract::Plan plan;
  plan.scheduler = "local";
  plan.jobs.resize(2);
  plan.jobs[1].resources.cores_per_rank = 2;
  CHECK(most_ranks(plan, {.cores = 8}) == 4);
  for (contract::PlannedJob& job : plan.jobs) job.resources.device = "cuda";
  CHECK(most_ranks(plan, {.cores = 8, .gpus = 2}) == 2);
  CHECK(most_ranks(plan, {.cores = 8}) == 0);  // the folder was copied from another machine
  plan.scheduler = "slurm";
  CHECK(most_ranks(plan, {.cores = 8, .gpus = 2}) == 0);
}

TEST_CASE("this machine has at least one core") {
  CHECK(workspace::this_machine().cores >= 1);
}
