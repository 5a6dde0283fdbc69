// SPDX-License-Identifier: Apache-2.0
// Tests of one process with several devices: copied data and batches smaller than the device count.
#include <catch2/catch.hpp>

#include "tests/support/temp_dir.hpp"
#include "tests/trainer/thread_launch.hpp"

using namespace dlscale;
using test::all;

namespace {

constexpr int kDeviceSteps = 4;
constexpr int kBatch = 6;  // samples per device

contract::RunSpec recipe(int devices) {
  contract::RunSpec spec;
  spec.run_id = "run";
  spec.framework = "data_parallel";
  spec.model = "mlp";
  spec.precision = "fp64";
  spec.gpus = devices;
  spec.batch_per_gpu = kBatch;
  spec.global_batch = kBatch * devices;
  spec.dataset = {"synthetic_digits", "", kDeviceSteps * spec.global_batch, 257};
  spec.lr = {.base = 0.1, .peak = 0.1};
  return spec;
}

std::vector<contract::ResultRecord> records_of(const contract::RunSpec& spec) {
  test::TempDir folder;
  return test::launch(spec, folder.path()).records;
}

}  // namespace

TEST_CASE("a step copies the model, inputs, outputs and both kinds of gradients between devices") {
  constexpr double kParameters = 784 * 512 + 512 + 512 * 512 + 512 + 512 * 10 + 10;
  constexpr double kSample = 784 + 2 * 10;  // input, output and output gradient of a sample
  for (int devices = 1; devices <= 3; ++devices) {
    const auto window = all<contract::StepWindow>(records_of(recipe(devices))).at(0);
    const double others = devices - 1;
    CHECK(window.bytes_sent ==
          kDeviceSteps * others * sizeof(double) * (2 * kParameters + kBatch * kSample));
    CHECK(window.collectives == (devices == 1 ? 0 : 4 * kDeviceSteps));
    CHECK((window.comm_busy_s.mean > 0) == (devices > 1));
    const auto exposed = static_cast<std::size_t>(contract::StepPart::exposed_comm);
    CHECK(window.parts[exposed].mean >= 0.9 * window.comm_busy_s.mean);
  }
}

TEST_CASE("a batch with fewer samples than devices leaves the last ones idle") {
  for (int devices = 1; devices <= 4; ++devices) {  // the last evaluation batch has one sample
    CHECK(all<contract::EvalRecord>(records_of(recipe(devices))).at(0).samples == 257);
  }
}

TEST_CASE("each micro-batch copies the model again") {
  auto spec = recipe(2);
  spec.batch_per_gpu = 2;
  spec.accumulation_steps = 3;
  const double whole = all<contract::StepWindow>(records_of(recipe(2))).at(0).bytes_sent;
  CHECK(all<contract::StepWindow>(records_of(spec)).at(0).bytes_sent > 2.5 * whole);
}
