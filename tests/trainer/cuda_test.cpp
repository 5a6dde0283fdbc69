// SPDX-License-Identifier: Apache-2.0
// Tests of a build for GPUs. Without a GPU they check that the build starts, offers GPUs and
// reports what is missing.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "tests/support/skip.hpp"
#include "tests/trainer/comm/collective_suite.hpp"
#include "tests/trainer/comm/on_gpu.hpp"
#include "tests/trainer/gpu_queue_check.hpp"
#include "tests/trainer/parallel/learns_alike.hpp"
#include "tests/trainer/parallel/style_specs.hpp"
#include "trainer/about/capabilities.hpp"
#include "trainer/comm/algorithms/with_all_reduce.hpp"
#include "trainer/comm/mpi.hpp"
#include "trainer/comm/nccl.hpp"
#include "trainer/device/device.hpp"
#include "trainer/device/gpu.hpp"
#include "validation/settings.hpp"

using namespace dlscale;
using namespace dlscale::trainer;

namespace {

/// Returns the reason why this machine has no usable GPU, or nothing if a GPU is usable.
std::optional<std::string> no_gpu() {
  try {
    require_gpu(0);
    return std::nullopt;
  } catch (const base::RunError& error) {
    CHECK(error.exit_code() == contract::kExitBadRunDescription);
    return error.what();
  }
}

/// Returns whether the machine lacks a GPU, and marks the test as skipped. The test fails instead
/// if DLSCALE_REQUIRE_GPU=1.
bool lacks_gpu() {
  const auto why = no_gpu();
  const char* const required = ::getenv("DLSCALE_REQUIRE_GPU");
  if (why && required != nullptr && std::string(required) == "1") FAIL(*why);
  if (why) test::skip(*why);
  return why.has_value();
}

contract::RunSpec on_gpus() {
  contract::RunSpec spec;
  spec.resources.device = "cuda";
  spec.resources.communicator = "nccl";
  return spec;
}

contract::RunSpec with_graphs(contract::RunSpec spec) {
  spec.cuda_graph = true;
  return spec;
}

std::unique_ptr<Communicator> connect(const MpiSession& session) {
  return make_nccl(with_all_reduce(make_mpi(session), "auto"),
                   {.local_rank = session.placement().local_rank, .share_gpus = true});
}

}  // namespace

TEST_CASE("a build for GPUs offers the device cuda and the communicator nccl") {
  CHECK(capabilities().has("device", "cuda"));
  CHECK(capabilities().has("communicator", "nccl"));
  CHECK(capabilities().built_with.at("cuda") == "yes");
  CHECK_THAT(nccl_version(), Catch::StartsWith("2."));
  CHECK_NOTHROW(require_available(on_gpus(), "run.json"));
}

TEST_CASE("an incompatible device and communicator are rejected") {
  contract::RunSpec spec = on_gpus();
  spec.resources.communicator = "mpi";
  CHECK_THROWS_WITH(require_available(spec, "run.json"),
                    "run.json: resources.communicator: is mpi, which cannot access GPU memory; use "
                    "nccl with the device cuda, even for a single rank");
  spec = on_gpus();
  spec.resources.device = "cpu";
  CHECK_THROWS_WITH(require_available(spec, "run.json"),
                    Catch::Contains("is nccl, which requires GPUs; use mpi with the device cpu"));
  spec = on_gpus();
  spec.all_reduce = "ring";
  CHECK_THROWS_WITH(require_available(spec, "run.json"),
                    Catch::Contains("all_reduce: is ring, an algorithm of mpi"));
  spec = on_gpus();
  spec.framework_options.hierarchical_all_reduce = true;
  CHECK_THROWS_WITH(
      require_available(spec, "run.json"),
      Catch::Contains("framework_options.hierarchical_all_reduce: applies only to mpi"));
}

TEST_CASE("a rank without a GPU reports the reason and what to check") {
  const auto why = no_gpu();
  if (!why) {
    SUCCEED("there is a GPU");
    return;
  }
  CHECK_THAT(*why,
             Catch::StartsWith("no GPU is visible (") && Catch::Contains("CUDA_VISIBLE_DEVICES"));
  CHECK_THROWS_WITH(base::find(device_table(), "device", "cuda").make({}), *why);
}

TEST_CASE("NCCL passes the collective suite on GPU memory", "[.nccl]") {
  const MpiSession session;
  if (lacks_gpu()) return;
  use_gpu(gpu_of(session.placement().local_rank));
  const auto ranks = test::on_gpu(connect(session));
  CHECK_NOTHROW(test::check_collectives(*ranks, {0, 1, 17, 1000}));
  CHECK_NOTHROW(test::check_collectives_of(*ranks, ElementType::float32, (1 << 18) + 3));
  CHECK_NOTHROW(test::check_splits(*ranks));
  CHECK_NOTHROW(test::check_counters(*ranks));
  const auto beside = connect(session);
  CHECK_NOTHROW(test::check_collectives(*beside, {0, 1, 17}));  // data in host memory
  const int gpu = gpu_of(session.placement().local_rank);
  CHECK_NOTHROW(test::check_gpu_queue(*beside, gpu));
  CHECK_NOTHROW(test::check_gpu_fusion(gpu));
  CHECK_NOTHROW(test::check_gpu_times(gpu));
}

TEST_CASE("every style over NCCL trains like one rank with the whole batch", "[.nccl_styles]") {
  const MpiSession session;
  if (lacks_gpu()) return;
  const bool judges = session.rank() == 0;
  test::ThreadLaunch alone;
  if (judges) alone = test::run(test::ten_steps("synchronous", 1));
  use_gpu(gpu_of(session.placement().local_rank));
  const auto ranks = connect(session);
  for (contract::RunSpec spec : test::styles_of_processes(session.size())) {
    spec.resources = on_gpus().resources;
    const auto found = test::run_as_rank(spec, *ranks);
    if (judges) test::check_alike(spec, found, alone);
    if (validation::find_setting_conflict(with_graphs(spec))) continue;
    const auto replayed = test::run_as_rank(with_graphs(spec), *ranks);
    if (judges) test::check_alike(spec, replayed, alone);
  }
}

TEST_CASE("different collectives on GPUs are reported to all ranks", "[.nccl_differ]") {
  const MpiSession session;
  if (lacks_gpu()) return;
  use_gpu(gpu_of(session.placement().local_rank));
  const auto ranks = test::on_gpu(connect(session));
  std::vector<float> data(4);
  const Span some{data.data(), session.rank() == 0 ? 3 : 4, ElementType::float32};
  CHECK_THROWS_WITH(ranks->all_reduce(some, ReduceOp::sum),
                    Catch::Contains("call different collectives") ||
                        Catch::Contains("other ranks make a different call"));
}
