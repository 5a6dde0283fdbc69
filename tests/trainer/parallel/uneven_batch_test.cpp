// SPDX-License-Identifier: Apache-2.0
// Tests that ranks with different numbers of samples learn the same as one rank with the whole
// batch (uneven_batch = "spread").
#include <catch2/catch.hpp>

#include "contract/run_spec/framework_styles.hpp"
#include "tests/trainer/parallel/learns_alike.hpp"
#include "tests/trainer/parallel/small_run.hpp"
#include "tests/trainer/parallel/style_specs.hpp"

using namespace dlscale;
using test::all;
using test::ThreadLaunch;

namespace {

/// Returns `spec` with a global batch that its ranks and accumulation steps divide unevenly. The
/// run has 10 steps, and the last one is filled with repeated samples.
contract::RunSpec with_batch(contract::RunSpec spec, std::int64_t batch, int accumulation = 1) {
  const std::int64_t parts = std::int64_t{spec.gpus} * accumulation;
  spec.accumulation_steps = accumulation;
  spec.global_batch = batch;
  spec.batch_per_gpu = (batch + parts - 1) / parts;
  if (batch % parts != 0) spec.uneven_batch = contract::kSpreadBatch;
  spec.dataset.train_samples = 10 * batch - 1;
  return spec;
}

std::vector<contract::RunSpec> averaging_styles(int ranks) {
  std::vector<contract::RunSpec> specs = test::exact_styles(ranks);
  std::erase_if(specs, [](const auto& spec) { return test::cuts_models(spec.framework); });
  return specs;
}

ThreadLaunch alone_with(std::int64_t batch) {
  return test::run(with_batch(test::ten_steps("synchronous", 1), batch));
}

}  // namespace

TEST_CASE("every style that averages gradients learns the same from uneven parts of a batch") {
  // 5 samples for 3 ranks are fewer than two samples per rank.
  for (const std::int64_t batch : {25, 5}) {
    const ThreadLaunch alone = alone_with(batch);
    for (const int ranks : {2, 3}) {
      for (const contract::RunSpec& style : averaging_styles(ranks)) {
        INFO("global batch " << batch);
        test::check_learns_alike(with_batch(style, batch), alone);
      }
    }
  }
}

TEST_CASE("ranks learn the same from uneven parts of accumulation steps") {
  // 7 samples for 2 ranks with 3 steps each: 4 samples as 2 + 1 + 1, and 3 samples as 1 + 1 + 1.
  for (const auto& [batch, accumulation] : {std::pair<std::int64_t, int>{25, 2}, {7, 3}}) {
    const ThreadLaunch alone = alone_with(batch);
    for (const contract::RunSpec& style : averaging_styles(2)) {
      INFO("global batch " << batch << " in " << accumulation << " accumulation steps");
      test::check_learns_alike(with_batch(style, batch, accumulation), alone);
    }
  }
}

TEST_CASE("records of uneven batches count every sample of a step once") {
  const ThreadLaunch found = test::run(with_batch(test::ten_steps("ddp", 3), 25));
  for (const auto& window : all<contract::StepWindow>(found.records)) {
    CHECK(window.samples == 25 * window.steps);
  }
  CHECK(all<contract::EpochRecord>(found.records).at(0).samples == 250);
  CHECK(all<contract::EvalRecord>(found.records).at(0).samples == 50);
}

TEST_CASE("rounded gradients of uneven parts stay close to those of one rank") {
  const ThreadLaunch alone = alone_with(25);
  for (const auto& [framework, compression] :
       {std::pair{"ddp", "fp16"}, {"ddp", "bf16"}, {"horovod", "fp16"}}) {
    contract::RunSpec spec = with_batch(test::ten_steps(framework, 3), 25);
    spec.framework_options.compression = compression;
    INFO(test::title_of(spec));
    const ThreadLaunch rounded = test::run(spec);
    CHECK(test::largest_difference(rounded.parameters, alone.parameters) < 5e-3);
  }
}

TEST_CASE("a run with uneven batches continues after a stop") {
  for (const char* framework : {"ddp", "deepspeed"}) {
    const contract::RunSpec spec = with_batch(test::ten_steps(framework, 3), 25);
    INFO(framework);
    const ThreadLaunch resumed = test::run_with_stop(spec);
    CHECK(test::largest_difference(resumed.parameters, test::run(spec).parameters) == 0);
  }
}

TEST_CASE("synchronised batch norms weight the statistics of uneven parts by their samples") {
  const auto result_of = [](int ranks) {
    contract::RunSpec spec = test::style_spec("ddp", ranks);
    spec.batch_norm = "synchronised";
    return test::run({.spec = with_batch(std::move(spec), test::kStepSamples)});
  };
  const test::SmallResult alone = result_of(1);
  CHECK(test::largest_difference(result_of(5), alone) < 1e-10);
  CHECK(test::largest_difference(result_of(7), alone) < 1e-10);
}
