// SPDX-License-Identifier: Apache-2.0
#include "planner/site/machine.hpp"

#include <catch2/catch.hpp>

#include "planner/planner.hpp"
#include "tests/planner/planned.hpp"

using namespace dlscale;
using planner::Allocation;
using planner::crowding_warning;
using planner::Machine;

namespace {

Allocation ranks(int count, int cores_each = 1, const std::string& device = "cpu") {
  Allocation allocation;
  allocation.request.device = device;
  allocation.request.ranks_per_node = count;
  allocation.request.cores_per_rank = cores_each;
  return allocation;
}

}  // namespace

TEST_CASE("ranks that have their own cores or GPUs cause no warning") {
  CHECK(crowding_warning({.cores = 4}, {ranks(1), ranks(4), ranks(2, 2)}).empty());
  CHECK(crowding_warning({.cores = 1, .gpus = 2}, {ranks(2, 8, "cuda")}).empty());
  CHECK(crowding_warning({}, {}).empty());
}

TEST_CASE("the run with the most ranks is named with the cores or GPUs of the machine") {
  CHECK(crowding_warning({.cores = 2}, {ranks(1), ranks(4), ranks(3)}) ==
        "4 ranks on 2 cores of this machine: ranks share cores, so efficiency measures the "
        "sharing");
  CHECK(crowding_warning({.cores = 4}, {ranks(4, 2)}) ==
        "4 ranks with 2 cores each on 4 cores of this machine: ranks share cores, so efficiency "
        "measures the sharing");
  CHECK(crowding_warning({.cores = 64, .gpus = 1}, {ranks(2, 1, "cuda")}) ==
        "2 ranks on 1 GPU of this machine: such runs fail, because each rank needs a GPU");
}

TEST_CASE("a plan for a local site compares its ranks with the machine") {
  const auto warnings = [](const std::string& site, int cores) {
    planner::Resources resources = test::shipped_resources();
    resources.machine = Machine{.cores = cores};
    return planner::make_plan({test::kSource / "examples/studies/demo/study.toml", site, {}},
                              resources)
        .plan.warnings;
  };
  const std::string warning =
      "2 ranks on 1 core of this machine: ranks share cores, so efficiency measures the sharing";
  const auto has = [&](const std::vector<std::string>& all) {
    return std::find(all.begin(), all.end(), warning) != all.end();
  };
  CHECK(has(warnings("local", 1)));
  CHECK_FALSE(has(warnings("local", 2)));
}
