// SPDX-License-Identifier: Apache-2.0
// Benchmark of the share of communication that framework styles hide, and of pipeline bubbles.
// usage: style_bench [steps [overlap | bubble]]
// Layers sleep instead of computing. Collectives sleep in proportion to their bytes before they
// run. Sleeping needs no core, so ranks can be threads and the number of cores has no effect.
// The program prints Markdown tables of medians over the steps (default: 9) of the slowest rank.
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/autograd.h>
#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "tests/trainer/block_model.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/comm/thread.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/optim/loss.hpp"
#include "trainer/parallel/parallel_style.hpp"
#include "trainer/parallel/replicated.hpp"

using namespace dlscale;
using namespace dlscale::trainer;

namespace {

constexpr double kForwardS = 0.010, kBackwardS = 0.020;  // seconds that a block takes for a batch
constexpr std::int64_t kBlocks = 8;
constexpr std::int64_t kElements = 256 * 1024;             // size of a block's parameter: 1 MiB
constexpr double kSecondsPerByte = 0.010 / (1024 * 1024);  // sleep of a collective per byte
constexpr std::int64_t kSamples = 16, kClasses = 10;

void sleep_s(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

/// Identity function that sleeps in proportion to its samples in the forward and the backward pass.
struct Sleep : torch::autograd::Function<Sleep> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& input,
                            const at::Tensor& parameter, double slowness) {
    const double share = slowness * static_cast<double>(input.size(0)) / kSamples;
    context->saved_data["share"] = share;
    context->saved_data["elements"] = parameter.numel();
    sleep_s(kForwardS * share);
    return input.clone();
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& outputs) {
    sleep_s(kBackwardS * context->saved_data["share"].toDouble());
    return {outputs[0], at::zeros({context->saved_data["elements"].toInt()}), {}};
  }
};

std::unique_ptr<Model> sleeping_model(std::int64_t blocks, std::int64_t elements, double slowness) {
  auto model = std::make_unique<test::BlockModel>();
  for (std::int64_t i = 0; i < blocks; ++i) {
    model->add(at::zeros({elements}),
               [slowness](const at::Tensor& input, const at::Tensor& parameter) {
                 return Sleep::apply(input, parameter, slowness);
               });
  }
  return model;
}

/// Number of seconds that all collectives of a rank have slept, including the collectives of
/// communicators that were split from the rank's first communicator.
class Slept {
 public:
  void add(double more) {
    const std::lock_guard lock(mutex_);
    seconds_ += more;
  }
  double seconds() const {
    const std::lock_guard lock(mutex_);
    return seconds_;
  }

 private:
  mutable std::mutex mutex_;
  double seconds_ = 0;
};

/// Communicator whose collectives sleep before they run.
class Delayed : public Overlay {
 public:
  Delayed(Communicator& inner, std::shared_ptr<Slept> slept)
      : Overlay(inner), slept_(std::move(slept)) {}
  Delayed(std::unique_ptr<Communicator> inner, std::shared_ptr<Slept> slept)
      : Overlay(*inner), owned_(std::move(inner)), slept_(std::move(slept)) {}

 private:
  void delay(const Span& whole) {
    const double seconds = kSecondsPerByte * static_cast<double>(whole.bytes());
    sleep_s(seconds);
    slept_->add(seconds);
  }
  void do_all_reduce(Span data, ReduceOp op) override {
    delay(data);
    Overlay::do_all_reduce(data, op);
  }
  void do_reduce_scatter(Span in, Span out, ReduceOp op) override {
    delay(in);
    Overlay::do_reduce_scatter(in, out, op);
  }
  void do_all_gather(Span in, Span out) override {
    delay(out);
    Overlay::do_all_gather(in, out);
  }
  std::unique_ptr<Communicator> do_split(int color) override {
    return std::make_unique<Delayed>(inner().split(color), slept_);
  }

  std::unique_ptr<Communicator> owned_;
  std::shared_ptr<Slept> slept_;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Measured {
  BlockTimes times;  ///< medians over steps
  double communication_s = 0;
};

struct Steps {
  int count;
  bool in_a_row = false;  ///< steps run without barriers, and their mean time is reported
};

/// **Collective.** Measures the steps of a rank after one step that does not count. Barriers make
/// all ranks begin and end each step together unless `steps.in_a_row` is set.
Measured measure(const contract::RunSpec& spec, std::unique_ptr<Model> model,
                 CollectiveQueue& queue, Slept* slept, const Steps& steps) {
  const base::SystemClock clock;
  const auto device = base::find(device_table(), "device", "cpu").make({});
  std::string placement;
  StyleContext context{
      .spec = spec,
      .model = std::move(model),
      .sample = {kClasses},
      .loss = [](const at::Tensor& scores,
                 const at::Tensor& target) { return cross_entropy(scores, target, 0); },
      .make_optimizer =
          [&](const Stepped& stepped) {
            return base::find(optimizer_table(), "optimizer", "sgd").make({}, stepped);
          },
      .make_model = {},
      .placement = placement,
      .device = *device,
      .queue = queue,
      .clock = clock};
  const auto style = make_style(std::move(context));
  const Batch batch{at::zeros({kSamples, kClasses}), at::zeros({kSamples}, at::kLong)};
  StepTimer timer(clock, *device);
  std::vector<BlockTimes> times;
  double before_s = 0;
  for (int step = 0; step <= steps.count; ++step) {
    if (!steps.in_a_row) queue.barrier()->wait();
    if (!steps.in_a_row || step == 0) timer.start();
    style->train_step(batch, 0.1, timer);
    timer.leave();
    if (!steps.in_a_row) queue.barrier()->wait();
    times.push_back(timer.cut());
    if (step == 0 && slept != nullptr) before_s = slept->seconds();
  }
  times.erase(times.begin());
  Measured result;
  const auto of = [&](const auto& get) {
    std::vector<double> values;
    for (const BlockTimes& each : times) values.push_back(get(each));
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return steps.in_a_row ? sum / static_cast<double>(values.size()) : median(values);
  };
  result.times.wall_s = of([](const BlockTimes& each) { return each.wall_s; });
  for (std::size_t part = 0; part < result.times.parts.size(); ++part) {
    result.times.parts[part] = of([part](const BlockTimes& each) { return each.parts[part]; });
  }
  if (slept != nullptr) result.communication_s = (slept->seconds() - before_s) / steps.count;
  return result;
}

double part(const Measured& measured, contract::StepPart which) {
  return measured.times.parts[static_cast<std::size_t>(which)];
}

contract::RunSpec spec_of(const std::string& framework, int ranks) {
  contract::RunSpec spec;
  spec.framework = framework;
  spec.gpus = ranks;
  spec.batch_per_gpu = kSamples;
  spec.global_batch = kSamples * ranks;
  spec.framework_options.bucket_cap_mb = 1;
  spec.framework_options.first_bucket_mb = 1;
  spec.framework_options.reduce_bucket_elements = kElements;
  spec.framework_options.prefetch_elements = kElements;
  return spec;
}

void print_overlap_of(const std::string& name, const contract::RunSpec& spec, int steps) {
  Measured slowest;
  std::mutex mutex;
  run_as_threads(spec.gpus, [&](Communicator& rank) {
    const auto slept = std::make_shared<Slept>();
    Delayed delayed(rank, slept);
    const base::SystemClock clock;
    CollectiveQueue queue(delayed, clock);
    const auto mine =
        measure(spec, sleeping_model(kBlocks, kElements, 1), queue, slept.get(), {steps});
    const std::lock_guard lock(mutex);
    if (mine.times.wall_s > slowest.times.wall_s) slowest = mine;
  });
  const double exposed_s = part(slowest, contract::StepPart::exposed_comm);
  const double hidden = std::max(0.0, 1 - exposed_s / slowest.communication_s);
  fmt::print("| {} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} % |\n", name,
             slowest.times.wall_s * 1e3, part(slowest, contract::StepPart::backward) * 1e3,
             slowest.communication_s * 1e3, exposed_s * 1e3, hidden * 100);
  std::fflush(stdout);
}

void print_overlap(int steps) {
  fmt::print(
      "| style | step ms | backward ms | communication ms | exposed ms | hidden |\n"
      "|---|--:|--:|--:|--:|--:|\n");
  print_overlap_of("synchronous", spec_of("synchronous", 2), steps);
  print_overlap_of("ddp", spec_of("ddp", 2), steps);
  print_overlap_of("horovod", spec_of("horovod", 2), steps);
  for (const int stage : {0, 1, 2, 3}) {
    for (const char* overlap : {"off", "on"}) {
      auto spec = spec_of("deepspeed", 2);
      spec.framework_options.zero_stage = stage;
      spec.framework_options.overlap_comm = overlap;
      if (stage == 0 && spec.framework_options.overlap_comm == "on") continue;
      print_overlap_of(fmt::format("deepspeed stage {}, overlap_comm {}", stage, overlap), spec,
                       steps);
    }
  }
}

/// Returns the share of the step time that is recorded as bubble, as a mean over the stages.
double bubble_of(const contract::RunSpec& spec, int steps) {
  std::mutex mutex;
  double sum = 0;
  run_as_threads(spec.gpus, [&](Communicator& rank) {
    const base::SystemClock clock;
    CollectiveQueue queue(rank, clock);
    const auto mine = measure(spec, sleeping_model(12, 1, 12), queue, nullptr,
                              {.count = steps, .in_a_row = true});
    const std::lock_guard lock(mutex);
    sum += part(mine, contract::StepPart::bubble) / mine.times.wall_s;
  });
  return sum / spec.gpus;
}

void print_bubble(int steps) {
  fmt::print(
      "| schedule | stages S | micro-batches M | (S−1)/(M+S−1) | measured | ratio |\n"
      "|---|--:|--:|--:|--:|--:|\n");
  for (const char* schedule : {"gpipe", "1f1b"}) {
    for (const int stages : {2, 3, 4}) {
      for (const int micro_batches : {4, 8}) {
        auto spec = spec_of("pipeline", stages);
        spec.batch_per_gpu = kSamples / stages;
        spec.global_batch = kSamples;
        spec.framework_options.model_parallel_size = stages;
        spec.framework_options.balance = "blocks";
        spec.framework_options.pipeline_schedule = schedule;
        spec.framework_options.micro_batches = micro_batches;
        const double ideal = (stages - 1.0) / (micro_batches + stages - 1);
        const double measured = bubble_of(spec, steps);
        fmt::print("| {} | {} | {} | {:.3f} | {:.3f} | {:.2f} |\n", schedule, stages, micro_batches,
                   ideal, measured, measured / ideal);
        std::fflush(stdout);
      }
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  at::set_num_threads(1);
  const int steps = count > 1 ? std::max(1, std::atoi(arguments[1])) : 9;
  const std::string what = count > 2 ? arguments[2] : "";
  if (what != "bubble") print_overlap(steps);
  if (what.empty()) fmt::print("\n");
  if (what != "overlap") print_bubble(steps);
}
