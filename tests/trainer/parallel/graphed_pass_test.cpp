// SPDX-License-Identifier: Apache-2.0
// Tests of steps with replayed passes, on a CPU that imitates the graphs of a GPU.
#include <catch2/catch.hpp>
#include <map>
#include <mutex>

#include "base/error.hpp"
#include "tests/trainer/parallel/recorded_device.hpp"
#include "tests/trainer/parallel/small_run.hpp"
#include "tests/trainer/parallel/style_specs.hpp"
#include "trainer/parallel/graphed_pass.hpp"

using namespace dlscale;
using test::SmallRun;
using test::style_spec;

namespace {

struct Replayed {
  test::SmallResult result;
  std::map<int, int> replays;  ///< number of replays of each rank
};

/// Runs the steps with replayed passes.
Replayed replay(SmallRun run) {
  Replayed found;
  std::mutex mutex;
  run.spec.cuda_graph = true;
  run.make_device = [&](int rank) {
    const std::lock_guard lock(mutex);
    return test::make_recorded_device(found.replays[rank]);
  };
  found.result = test::run(run);
  return found;
}

/// Returns the number of graphs that a rank replays.
int replays_of(const SmallRun& run) {
  const int passes = run.spec.accumulation_steps;
  const int by_hand = (trainer::GraphedPass::kRehearsals + passes - 1) / passes;
  return 2 * passes * (run.steps - by_hand);
}

void check_learns_alike(const SmallRun& run) {
  INFO(test::title_of(run.spec) << ", " << run.spec.precision << ", accumulation "
                                << run.spec.accumulation_steps);
  const Replayed found = replay(run);
  const test::SmallResult by_hand = test::run(run);
  CHECK(found.result.comm.bytes == by_hand.comm.bytes);
  for (const auto& [name, tensor] : by_hand.state) {
    INFO(name);
    CHECK(test::is_equal(found.result.state.at(name), tensor));
  }
  CHECK(test::is_equal(found.result.losses, by_hand.losses));
  for (const auto& [name, count] : by_hand.counts) CHECK(found.result.counts.at(name) == count);
  REQUIRE(found.replays.size() == static_cast<std::size_t>(run.spec.gpus));
  for (const auto& [rank, replays] : found.replays) CHECK(replays == replays_of(run));
}

}  // namespace

TEST_CASE("replayed passes train like ordinary passes in every style that can replay them") {
  for (const int ranks : {1, 2, 3}) {
    for (const contract::RunSpec& style :
         {style_spec("synchronous", ranks), style_spec("deepspeed", ranks, 0),
          style_spec("deepspeed", ranks, 1)}) {
      for (const int passes : {1, 2}) {
        SmallRun run{style, 10};
        run.spec.accumulation_steps = passes;
        check_learns_alike(run);
      }
    }
  }
}

TEST_CASE(
    "replayed passes train alike with every optimizer, in 16 bits, with clipping and a mean") {
  for (const char* precision : {"fp32", "bf16", "fp16"}) {
    for (const char* optimizer : {"sgd", "adam", "adamw", "lars"}) {
      SmallRun run{style_spec("synchronous", 2), 8};
      run.spec.precision = precision;
      run.spec.optimizer = {.kind = optimizer, .weight_decay = 0.05};
      run.spec.clip_norm = 0.5;
      run.spec.ema_decay = 0.7;
      INFO(optimizer);
      check_learns_alike(run);
    }
  }
}

TEST_CASE("an fp16 step that overflows is skipped and changes the scale of later replays") {
  SmallRun run{style_spec("synchronous", 1), 10};
  run.spec.precision = "fp16";
  run.disturb = [](int, int step, trainer::Batch& batch) {
    if (step == 5) batch.input = batch.input * 1e30;
  };
  check_learns_alike(run);
  CHECK(replay(run).result.counts.at("skipped_steps") == 1);
}

TEST_CASE("a sum that the forward pass adds to memory includes each pass once") {
  for (const int passes : {1, 2}) {
    SmallRun run{style_spec("synchronous", 1), 10};
    run.spec.accumulation_steps = passes;
    const auto counting = [&run](at::Tensor& count) {
      run.after_forward = [&count](const at::Tensor& scores) {
        const at::NoGradGuard no_gradients;
        count.add_(scores.argmax(1).sum());
      };
      return run;
    };
    at::Tensor by_hand = at::zeros({}, at::kLong), replayed = at::zeros({}, at::kLong);
    test::run(counting(by_hand));
    const Replayed found = replay(counting(replayed));
    CHECK(found.replays.at(0) == replays_of(run));
    CHECK(by_hand.item<std::int64_t>() > 0);
    CHECK(replayed.item<std::int64_t>() == by_hand.item<std::int64_t>());
  }
}

TEST_CASE("batches of another shape than the first run without graphs between replays") {
  SmallRun run{style_spec("synchronous", 2), 10};
  run.disturb = [](int, int step, trainer::Batch& batch) {
    if (step != 1 && step != 6) return;
    batch.input = batch.input.narrow(0, 0, 5);
    batch.target = batch.target.narrow(0, 0, 5);
  };
  const Replayed found = replay(run);
  CHECK(test::largest_difference(found.result, test::run(run)) == 0);
  CHECK(found.replays.at(0) == 2 * (10 - 2 - 2));  // steps 0 to 2 and step 6 replay no graphs
}

TEST_CASE("a step whose forward pass reads a number from the device runs without graphs") {
  SmallRun run{style_spec("synchronous", 1), 8};
  for (const int passes : {1, 2}) {
    run.spec.accumulation_steps = passes;
    const test::SmallResult by_hand = test::run(run);
    SmallRun reads = run;
    reads.after_forward = [](const at::Tensor& scores) { scores.sum().item<double>(); };
    const Replayed found = replay(reads);
    CHECK(test::largest_difference(found.result, by_hand) == 0);
    CHECK(found.replays.at(0) == 0);
    CHECK_THAT(found.result.warning,
               Catch::Contains("cuda_graph") && Catch::Contains("reads a number from the device"));
  }
}

TEST_CASE("the optimizer step is also replayed, with the learning rate of each step") {
  for (const int passes : {1, 2}) {
    SmallRun run{style_spec("synchronous", 2), 9};
    run.rate_step = 0.01;
    run.spec.precision = "fp32";
    run.spec.accumulation_steps = passes;
    run.spec.optimizer = {.momentum = 0.9, .nesterov = true, .weight_decay = 0.05};
    run.spec.ema_decay = 0.7;
    const Replayed found = replay(run);
    const test::SmallResult by_hand = test::run(run);
    for (const auto& [name, tensor] : by_hand.state) {
      INFO(name);
      CHECK(test::is_equal(found.result.state.at(name), tensor));
    }
    const int by_hand_steps = (trainer::GraphedPass::kRehearsals + passes - 1) / passes;
    CHECK(found.replays.at(0) == (2 * passes + 1) * (run.steps - by_hand_steps));
    CHECK(found.result.warning.empty());
  }
}

TEST_CASE("a warning gives the reason why the optimizer step runs without a graph") {
  SmallRun run{style_spec("synchronous", 1), 6};
  run.spec.precision = "fp32";
  run.spec.clip_norm = 0.5;
  CHECK_THAT(replay(run).result.warning,
             Catch::Contains("the optimizer step runs without a graph"));
}
