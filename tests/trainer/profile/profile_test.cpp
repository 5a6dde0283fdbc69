// SPDX-License-Identifier: Apache-2.0
// Tests of the kernel times that runs with `profile` record.
#include <torch/types.h>

#include <catch2/catch.hpp>
#include <set>

#include "tests/support/temp_dir.hpp"
#include "tests/trainer/thread_launch.hpp"
#include "trainer/models/convolution.hpp"
#include "trainer/profile/operator_watch.hpp"
#include "trainer/profile/step_profile.hpp"

using namespace dlscale;
using test::all;
using trainer::KernelKind;

namespace {

contract::RunSpec profile_recipe(const std::string& framework, int gpus) {
  contract::RunSpec spec;
  spec.run_id = "run";
  spec.framework = framework;
  spec.model = "cnn";
  spec.gpus = gpus;
  spec.batch_per_gpu = 16 / gpus;
  spec.global_batch = 16;
  spec.dataset = {"synthetic_digits", "", 10 * 16, 16};
  spec.lr = {.base = 0.1, .peak = 0.1};
  spec.window_steps = 4;
  spec.profile = true;
  return spec;
}

std::vector<contract::ProfileRecord> profiles(const contract::RunSpec& spec) {
  test::TempDir folder;
  return all<contract::ProfileRecord>(test::launch(spec, folder.path()).records);
}

}  // namespace

TEST_CASE("the second window is profiled, and convolutions take most of its time") {
  const auto found = profiles(profile_recipe("synchronous", 1));
  REQUIRE(found.size() == 1);
  CHECK(found[0].first_step == 4);
  CHECK(found[0].steps == 4);
  CHECK(found[0].communication == 0);
  CHECK(found[0].computation > 0.5);
  CHECK(found[0].io > 0);
  CHECK(found[0].communication + found[0].io + found[0].computation + found[0].other == Approx(1));
  CHECK(found[0].cpu_occupancy > 0);
  REQUIRE(found[0].kernels.size() > 5);
  CHECK(found[0].kernels.size() <= 15);
  CHECK_THAT(found[0].kernels[0].name, Catch::Contains("conv"));
  CHECK(found[0].kernels[0].kind == "computation");
  CHECK(found[0].kernels[0].self_s >= found[0].kernels[1].self_s);
  CHECK(found[0].kernel_s <= found[0].wall_s);
}

TEST_CASE("an operator of dlscale is one kernel that includes all its calls") {
  const at::Tensor images =
      torch::randn({4, 32, 16, 16}).contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor filters = torch::randn({32, 32, 3, 3}).requires_grad_();
  const auto watch = trainer::make_operator_watch();
  trainer::convolve(images, filters, {}, {1, 1}, {1, 1}).sum().backward();
  std::set<std::string> names;
  for (const trainer::KernelTime& kernel : watch->stop()) {
    names.insert(kernel.name);
    if (kernel.name.starts_with("dlscale::"))
      CHECK(kernel.kind == trainer::KernelKind::computation);
  }
  CHECK(names.contains("dlscale::convolution"));
  CHECK(names.contains("dlscale::convolution_backward"));
  CHECK_FALSE(names.contains("aten::bmm"));
  CHECK(names.contains("aten::sum"));
}

TEST_CASE("ranks and devices that exchange gradients spend kernel time on communication") {
  for (const char* framework : {"ddp", "data_parallel"}) {
    INFO(framework);
    const auto found = profiles(profile_recipe(framework, 2));
    REQUIRE(found.size() == 1);
    CHECK(found[0].communication > 0);
    CHECK(found[0].computation > 0);
    CHECK(found[0].communication + found[0].io + found[0].computation + found[0].other ==
          Approx(1));
  }
}

TEST_CASE("a run of one window profiles that window, and a run without profile profiles nothing") {
  auto spec = profile_recipe("synchronous", 1);
  spec.window_steps = 50;
  const auto found = profiles(spec);
  REQUIRE(found.size() == 1);
  CHECK(found[0].first_step == 0);
  CHECK(found[0].steps == 10);
  spec.profile = false;
  CHECK(profiles(spec).empty());
}

TEST_CASE("a profile of epochs has one record for each, without the first window of the launch") {
  auto spec = profile_recipe("synchronous", 1);
  spec.epochs = 4;
  spec.profile_epochs = 3;
  test::TempDir folder;
  const auto records = test::launch(spec, folder.path()).records;
  const auto found = all<contract::ProfileRecord>(records);
  REQUIRE(found.size() == 3);
  for (int epoch = 0; epoch < 3; ++epoch) {
    CHECK(found[epoch].epoch == epoch);
    CHECK(found[epoch].first_step == (epoch == 0 ? 4 : 10 * epoch));
    CHECK(found[epoch].steps == (epoch == 0 ? 6 : 10));
    const auto& each = found[epoch];
    CHECK(each.communication + each.io + each.computation + each.other == Approx(1));
    CHECK(each.kernels.size() <= 15);
  }
  // Each step of the second epoch calls the operator equally often as each step of the first.
  const auto calls = [](const contract::ProfileRecord& profile) {
    for (const auto& kernel : profile.kernels) {
      if (kernel.name.find("convolution_backward") != std::string::npos) return kernel.calls;
    }
    return std::int64_t{0};
  };
  CHECK(calls(found[0]) > 0);
  CHECK(calls(found[1]) * 6 == calls(found[0]) * 10);
  CHECK(all<contract::StepWindow>(records).size() == 4 * 3);  // windows of 4, 4 and 2 steps
}

TEST_CASE("a profile of more epochs than the run has ends with the run") {
  auto spec = profile_recipe("ddp", 2);
  spec.epochs = 2;
  spec.profile_epochs = 10;
  CHECK(profiles(spec).size() == 2);
  spec.epochs = 1;
  spec.window_steps = 50;  // the only window of the run is also the last to profile
  const auto found = profiles(spec);
  REQUIRE(found.size() == 1);
  CHECK(found[0].steps == 10);
}

TEST_CASE("a stopped launch writes the profile of the epoch so far, and the next launch the rest") {
  auto spec = profile_recipe("ddp", 2);
  spec.epochs = 2;
  spec.profile_epochs = 1;
  spec.window_steps = 2;
  test::TempDir folder;
  const auto first = test::launch(spec, folder.path(), {.rank = 1, .question = 4});
  REQUIRE(first.outcome == contract::RunOutcome::Preempted);
  const auto before = all<contract::ProfileRecord>(first.records);
  REQUIRE(before.size() == 1);
  CHECK(before[0].first_step == 2);
  const auto stopped_at = before[0].first_step + before[0].steps;
  const auto rest = all<contract::ProfileRecord>(test::launch(spec, folder.path()).records);
  REQUIRE(rest.size() == 1);
  CHECK(rest[0].epoch == 0);
  CHECK(rest[0].first_step > stopped_at);
  CHECK(rest[0].first_step + rest[0].steps == 10);
}

TEST_CASE("an operator's own time excludes the operators that it calls") {
  const at::Tensor a = at::rand({200, 200});
  const auto watch = trainer::watch_kernels(c10::kCPU);
  at::matmul(a, a);
  double own_s = 0, product_s = 0;
  for (const auto& kernel : watch->stop()) {
    if (kernel.name == "aten::matmul") own_s += kernel.self_s;
    if (kernel.name == "aten::mm") product_s += kernel.self_s;
  }
  CHECK(product_s > 0);
  CHECK(own_s > 0);
  CHECK(own_s < product_s);
}

TEST_CASE(
    "calls in a loading section count as loading, and calls in an uncounted section are ignored") {
  const at::Tensor a = at::rand({50, 50});
  const auto watch = trainer::watch_kernels(c10::kCPU);
  {
    const trainer::LoadingSection loading;
    at::mm(a, a);
  }
  {
    const trainer::UncountedSection uncounted;
    at::mm(a, a);
  }
  const auto found = watch->stop();
  at::mm(a, a);
  REQUIRE(found.size() == 1);
  CHECK(found[0].name == "loading");
  CHECK(found[0].kind == KernelKind::io);
  CHECK(found[0].calls == 1);
}

TEST_CASE("kernels are classified by their names on CPUs and GPUs") {
  CHECK(trainer::kind_of("aten::mkldnn_convolution") == KernelKind::computation);
  CHECK(trainer::kind_of("aten::addmm") == KernelKind::computation);
  CHECK(trainer::kind_of("aten::add_") == KernelKind::other);
  CHECK(trainer::kind_of("aten::norm") == KernelKind::other);
  CHECK(trainer::kind_of("ncclDevKernel_AllReduce_Sum_f32_RING_LL") == KernelKind::communication);
  CHECK(trainer::kind_of("Memcpy HtoD (Pinned -> Device)") == KernelKind::io);
  CHECK(trainer::kind_of("Memcpy PtoP") == KernelKind::communication);
  CHECK(trainer::kind_of("void dali::kernels::BatchedSeparableResampleKernel<1>(dali::Desc*)") ==
        KernelKind::io);
  CHECK(trainer::kind_of("void dali::kernels::SliceFlipNormalizeKernel<float, unsigned char>()") ==
        KernelKind::io);
  CHECK(trainer::kind_of("void dali::ConvPoolKernel()") == KernelKind::io);
  CHECK(trainer::kind_of("void nvjpeg::DecodeSingleGPU::dcAcDecodeKernel<int>(int)") ==
        KernelKind::io);
  CHECK(trainer::kind_of("sm80_xmma_fprop_implicit_gemm_tf32") == KernelKind::computation);
}
