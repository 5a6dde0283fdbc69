// SPDX-License-Identifier: Apache-2.0
// Tests that time spent waiting for other ranks after the backward pass is separate from the
// optimizer's work.
#include <torch/types.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "tests/trainer/block_model.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/comm/single.hpp"
#include "trainer/comm/thread.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/parallel/optimizer_step.hpp"
#include "trainer/parallel/replicated.hpp"

using namespace dlscale;
using namespace dlscale::trainer;
using contract::StepPart;

namespace {

constexpr double kSum_s = 5;  ///< duration of an all-reduce of at most 4 numbers

/// Clock that advances while other ranks are slow.
class SlownessClock : public base::Clock {
 public:
  double unix_s() const override { return now_s; }
  double steady_s() const override {
    if (std::this_thread::get_id() == trainer_) standing = asked_.exchange(false);
    return now_s;
  }
  /// Announces that the thread of the trainer will wait. The thread counts as waiting between its
  /// next two calls of steady_s().
  void ask() const { asked_ = true; }
  mutable std::atomic<bool> standing{false};
  std::atomic<double> now_s{0};

 private:
  std::thread::id trainer_ = std::this_thread::get_id();
  mutable std::atomic<bool> asked_{false};
};

/// Communicator of one rank. An all-reduce begins when the thread of the rank waits. An all-reduce
/// of at most 4 numbers takes kSum_s.
class SlowSums : public Overlay {
 public:
  SlowSums(Communicator& alone, SlownessClock& clock) : Overlay(alone), clock_(clock) {}
  std::shared_ptr<const Fence> fence() const override {
    clock_.ask();  // CollectiveQueue::wait_for() calls fence() before it waits
    return nullptr;
  }

 private:
  void do_all_reduce(Span data, ReduceOp op) override {
    for (int i = 0; i < 5000 && !clock_.standing; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (data.count <= 4) clock_.now_s = clock_.now_s + kSum_s;
    Overlay::do_all_reduce(data, op);
  }
  SlownessClock& clock_;
};

struct Waiting {
  SlownessClock clock;
  std::unique_ptr<Communicator> alone = make_single();
  SlowSums sums{*alone, clock};
  CollectiveQueue queue{sums, clock};
};

/// Returns a model of two blocks that multiply by their weights. The backward pass of the first
/// block takes `slow`.
std::unique_ptr<Model> two_blocks(std::chrono::milliseconds slow = {}) {
  auto model = std::make_unique<test::BlockModel>();
  model->add(at::eye(4, at::kDouble), [slow](const at::Tensor& input, const at::Tensor& weights) {
    const at::Tensor output = at::mm(input, weights);
    if (output.requires_grad()) {
      output.register_hook([slow](const at::Tensor&) { std::this_thread::sleep_for(slow); });
    }
    return output;
  });
  model->add(at::eye(4, at::kDouble), [](const at::Tensor& input, const at::Tensor& weights) {
    return at::mm(input, weights);
  });
  return model;
}

/// Returns the times of one step of `model` on this rank.
BlockTimes times_of_step(const contract::RunSpec& spec, std::unique_ptr<Model> model,
                         CollectiveQueue& queue, const base::Clock& clock) {
  const auto device = base::find(device_table(), "device", "cpu").make({});
  std::string placement;
  StyleContext context{
      .spec = spec,
      .model = std::move(model),
      .sample = {4},
      .loss = [](const at::Tensor& output, const at::Tensor&) { return output.square().mean(); },
      .make_optimizer =
          [&](const Stepped& stepped) {
            return base::find(optimizer_table(), "optimizer", spec.optimizer.kind)
                .make(spec.optimizer, stepped);
          },
      .make_model = {},
      .placement = placement,
      .device = *device,
      .queue = queue,
      .clock = clock};
  const auto style = make_style(std::move(context));
  StepTimer timer(clock, *device);
  timer.start();
  style->train_step({at::ones({2, 4}, at::kDouble), at::zeros({2}, at::kLong)}, 0.1, timer);
  timer.leave();
  return timer.cut();
}

double part_of(const BlockTimes& times, StepPart part) {
  return times.parts[static_cast<std::size_t>(part)];
}

}  // namespace

TEST_CASE("an optimizer step records how long it waited for the holders of other parts") {
  const auto waited_s = [](const contract::RunSpec& spec) {
    Waiting rank;
    const at::Tensor parameter = torch::ones({3}, torch::requires_grad());
    parameter.mutable_grad() = torch::ones({3});
    const std::vector<at::Tensor> tensors{parameter};
    OptimizerStep step(spec, tensors,
                       base::find(optimizer_table(), "optimizer", "sgd").make({}, {tensors}),
                       &rank.queue);
    step.step(0.1);
    const double first_s = step.waited_s_since_last_call();
    CHECK(step.waited_s_since_last_call() == 0);
    return first_s;
  };
  CHECK(waited_s({}) == 0);
  CHECK(waited_s({.clip_norm = 1}) == kSum_s);
  CHECK(waited_s({.precision = "fp16"}) == kSum_s);
  CHECK(waited_s({.precision = "fp16", .clip_norm = 1}) == 2 * kSum_s);
}

TEST_CASE("under ZeRO the sums for clipping and LARS are exposed communication") {
  for (const int stage : {1, 2, 3}) {
    contract::RunSpec spec;
    spec.framework = "deepspeed";
    spec.framework_options.zero_stage = stage;
    spec.precision = "fp64";
    spec.optimizer.kind = "lars";
    spec.clip_norm = 0.01;
    Waiting rank;
    const auto times = times_of_step(spec, two_blocks(), rank.queue, rank.clock);
    INFO("stage " << stage);
    CHECK(part_of(times, StepPart::optimizer) == 0);
    CHECK(part_of(times, StepPart::exposed_comm) == 2 * kSum_s);
    CHECK(times.wall_s == 2 * kSum_s);
  }
}

TEST_CASE("a stage that waits with clipping for the stage before it records a bubble") {
  contract::RunSpec spec;
  spec.framework = "pipeline";
  spec.gpus = 2;
  spec.batch_per_gpu = 1;
  spec.global_batch = 2;
  spec.precision = "fp64";
  spec.clip_norm = 0.01;
  double bubble_s = 0;
  run_as_threads(2, [&](Communicator& communicator) {
    const base::SystemClock clock;
    CollectiveQueue queue(communicator, clock);
    const auto times =
        times_of_step(spec, two_blocks(std::chrono::milliseconds(600)), queue, clock);
    if (queue.rank() == 1) bubble_s = part_of(times, StepPart::bubble);
  });
  CHECK(bubble_s > 0.2);
}
