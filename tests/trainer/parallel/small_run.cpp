// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/parallel/small_run.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "contract/run_spec/process_count.hpp"
#include "tests/trainer/parallel/style_specs.hpp"
#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/comm/thread.hpp"
#include "trainer/data/batch_part.hpp"
#include "trainer/models/batch_norm.hpp"
#include "trainer/models/module_model.hpp"
#include "trainer/optim/loss.hpp"
#include "trainer/parallel/rank_group.hpp"
#include "trainer/parallel/replicated.hpp"

namespace dlscale::test {
namespace {

constexpr std::int64_t kSide = 6, kClasses = 5;

struct Net : torch::nn::Module {
  explicit Net(const trainer::ModelContext& context)
      : conv1(register_module("conv1", torch::nn::Conv2d(1, 4, 3))),
        bn1(register_module("bn1", trainer::BatchNorm2d(4, context.statistics))),
        conv2(register_module("conv2", torch::nn::Conv2d(4, 6, 3))),
        bn2(register_module("bn2", trainer::BatchNorm2d(6, context.statistics))),
        hidden(register_module("hidden", torch::nn::Linear(24, 16))),
        output(register_module("output", torch::nn::Linear(16, kClasses))) {}
  std::vector<trainer::NetBlock> blocks() {
    using T = at::Tensor;
    return {{"1", {"conv1", "bn1"}, [this](const T& x) { return bn1(conv1(x)).relu_(); }},
            {"2", {"conv2", "bn2"}, [this](const T& x) { return bn2(conv2(x)).relu_(); }},
            {"3", {"hidden"}, [this](const T& x) { return hidden(x.flatten(1)).relu_(); }},
            {"4", {"output"}, [this](const T& x) { return output(x); }}};
  }
  torch::nn::Conv2d conv1;
  trainer::BatchNorm2d bn1;
  torch::nn::Conv2d conv2;
  trainer::BatchNorm2d bn2;
  torch::nn::Linear hidden, output;
};

/// Returns the batch of all ranks for a step. Step -1 is for predictions.
trainer::Batch batch_of(int step, at::ScalarType type) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(static_cast<std::uint64_t>(100 + step));
  return {at::randn({kStepSamples, 1, kSide, kSide}, generator, at::kDouble).to(type) * 2 + 1,
          at::randint(kClasses, {kStepSamples}, generator, at::kLong)};
}

/// Communicator that calls a function before each of its calls. Communicators split from it do the
/// same.
class Disturbed : public trainer::Overlay {
 public:
  using Before = std::function<void(std::string_view call)>;
  Disturbed(trainer::Communicator& inner, Before before)
      : Overlay(inner), before_(std::move(before)) {}
  /// Takes ownership of `part`.
  Disturbed(std::unique_ptr<trainer::Communicator> part, Before before)
      : Overlay(*part), before_(std::move(before)), part_(std::move(part)) {}

 private:
  void do_all_reduce(trainer::Span data, trainer::ReduceOp op) override {
    before_("all_reduce");
    Overlay::do_all_reduce(data, op);
  }
  void do_reduce_scatter(trainer::Span in, trainer::Span out, trainer::ReduceOp op) override {
    before_("reduce_scatter");
    Overlay::do_reduce_scatter(in, out, op);
  }
  void do_all_gather(trainer::Span in, trainer::Span out) override {
    before_("all_gather");
    Overlay::do_all_gather(in, out);
  }
  void do_broadcast(trainer::Span data, int root) override {
    before_("broadcast");
    Overlay::do_broadcast(data, root);
  }
  void do_exchange(trainer::Span out, int to, trainer::Span in, int from) override {
    before_("exchange");
    Overlay::do_exchange(out, to, in, from);
  }
  std::unique_ptr<trainer::Communicator> do_split(int color) override {
    return std::make_unique<Disturbed>(Overlay::do_split(color), before_);
  }

  Before before_;
  std::unique_ptr<trainer::Communicator> part_;
};

/// State of one rank of a run.
class SmallRank {
 public:
  SmallRank(const SmallRun& run, trainer::Communicator& ranks)
      : run_(run),
        queue_(ranks, clock_),
        device_(run.make_device ? run.make_device(ranks.rank())
                                : base::find(trainer::device_table(), "device", "cpu").make({})),
        share_(trainer::share_of(run.spec, ranks.rank())),
        type_(run.spec.precision == "fp64" ? at::kDouble : at::kFloat) {
    if (run.spec.batch_norm == "synchronised") statistics_.emplace(queue_, share_.stage, clock_);
    trainer::StyleContext context{
        .spec = run_.spec,
        .model = make_model(*device_),
        .sample = {1, kSide, kSide},
        .loss =
            [this](const at::Tensor& scores, const at::Tensor& target) {
              if (run_.after_forward) run_.after_forward(scores);
              return trainer::cross_entropy(scores, target, 0);
            },
        .make_optimizer =
            [this](const trainer::Stepped& stepped) {
              return base::find(trainer::optimizer_table(), "optimizer", run_.spec.optimizer.kind)
                  .make(run_.spec.optimizer, stepped);
            },
        .make_model = [this](const trainer::Device& device) { return make_model(device); },
        .placement = placement_,
        .device = *device_,
        .queue = queue_,
        .clock = clock_};
    style_ = make_style(std::move(context));
  }

  void go(SmallResult& result, std::mutex& mutex) {
    if (!run_.from.empty()) load();
    const trainer::CommStats before = queue_.stats();
    trainer::StepTimer timer(clock_, *device_);
    timer.start();
    std::vector<double> losses;
    for (int step = 0; step < run_.steps; ++step) {
      losses.push_back(
          style_->train_step(mine(step), 0.1 + run_.rate_step * step, timer).item<double>());
      timer.leave();
    }
    const trainer::BlockTimes times = timer.cut();
    const trainer::CommStats after = queue_.stats();
    std::vector<at::Tensor> buffers;
    for (const at::Tensor& buffer : model_->buffers()) buffers.push_back(buffer.detach().clone());
    style_->set_training(false);
    at::Tensor scores;
    {
      const c10::InferenceMode no_gradients;
      scores = style_->predict(batch_of(-1, type_).input);
    }
    const auto state = style_->state();
    const std::lock_guard lock(mutex);
    result.times[queue_.rank()] = times;
    result.buffers[queue_.rank()] = std::move(buffers);
    for (const auto& part : style_->shard()) {
      result.state[shard_name(part.name)] = part.tensor.detach().clone();
    }
    if (scores.defined()) result.predictions.push_back(scores);
    if (queue_.rank() != 0) return;
    result.losses = torch::tensor(losses, torch::kDouble);
    for (const auto& [key, count] : style_->take_counts()) result.counts[key] = count;
    result.warning = style_->take_warning();
    for (const auto& part : state) result.state[part.name] = part.tensor.detach().clone();
    result.comm.bytes = after.bytes - before.bytes;
    result.comm.collectives = after.collectives - before.collectives;
  }

 private:
  std::unique_ptr<trainer::Model> make_model(const trainer::Device& device) {
    auto made = trainer::make_module_model<Net>(
        {.input = {1, kSide, kSide},
         .classes = kClasses,
         .precision = type_ == at::kDouble ? trainer::Precision::fp64 : trainer::Precision::fp32,
         .device = device,
         .seed = 3,
         .statistics = statistics_ ? &*statistics_ : nullptr});
    if (model_ == nullptr) model_ = made.get();
    return made;
  }

  trainer::Batch mine(int step) {
    const trainer::Batch all = batch_of(step, type_);
    const auto [first, count] = trainer::part_of_batch(kStepSamples, share_.index, share_.count);
    trainer::Batch batch{all.input.narrow(0, first, count).clone(),
                         all.target.narrow(0, first, count)};
    if (run_.disturb) run_.disturb(queue_.rank(), step, batch);
    return batch;
  }

  std::string shard_name(const std::string& name) const {
    return "rank" + std::to_string(queue_.rank()) + "." + name;
  }

  void load() {
    const auto state = style_->state();
    const at::NoGradGuard no_gradients;
    if (queue_.rank() == 0) {
      for (const auto& part : state) part.tensor.detach().copy_(run_.from.at(part.name));
    }
    for (const auto& part : style_->shard()) {
      part.tensor.detach().copy_(run_.from.at(shard_name(part.name)));
    }
    style_->load(state);
  }

  const SmallRun& run_;
  base::SystemClock clock_;
  trainer::CollectiveQueue queue_;
  std::unique_ptr<trainer::Device> device_;
  trainer::DataShare share_;
  at::ScalarType type_;
  std::string placement_;
  std::optional<trainer::RankStatistics> statistics_;
  const trainer::Model* model_ = nullptr;  ///< model of the style
  std::unique_ptr<trainer::ParallelStyle> style_;
};

}  // namespace

SmallResult run(const SmallRun& run) {
  SmallResult result;
  std::mutex mutex;
  trainer::run_as_threads(contract::process_count(run.spec), [&](trainer::Communicator& ranks) {
    if (!run.before_call) return SmallRank(run, ranks).go(result, mutex);
    Disturbed disturbed(
        ranks, [&run, rank = ranks.rank()](std::string_view call) { run.before_call(rank, call); });
    SmallRank(run, disturbed).go(result, mutex);
  });
  return result;
}

bool is_equal(const at::Tensor& a, const at::Tensor& b) {
  return at::allclose(a, b, /*rtol=*/0, /*atol=*/0, /*equal_nan=*/true);
}

double largest_difference(const SmallResult& a, const SmallResult& b) {
  double largest = 0;
  for (const auto& [name, tensor] : a.state) {
    if (!name.starts_with("model.")) continue;
    const at::Tensor difference = tensor.to(at::kDouble) - b.state.at(name).to(at::kDouble);
    largest = std::max(largest, difference.abs().max().item<double>());
  }
  return largest;
}

}  // namespace dlscale::test
