// SPDX-License-Identifier: Apache-2.0
// A step calls the same operators in the same order as the trace of the model. The timer therefore
// numbers the outermost operator calls of the forward pass and finds a layer by its number. In the
// backward pass, autograd runs nodes with the sequence numbers that the forward pass gave them. A
// node belongs to the last operator that had begun when the node was created.
#include "trainer/bench/layer_timer.hpp"

#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>
#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "trainer/bench/kernel_timer.hpp"
#include "trainer/optim/optimizer.hpp"

namespace dlscale::trainer {
namespace {

constexpr double kUpdateRate = 1e-6;  // small, so that the parameters stay finite
constexpr int kWarmUpSteps = 2;
constexpr std::size_t kFewestSteps = 5, kMostSteps = 1000;

/// Outermost operator call of the forward pass, with the nodes of its backward pass.
struct TimedCall {
  std::string name;
  std::uint64_t sequence = 0;  ///< autograd's sequence number at the start
  double forward_s = 0, backward_s = 0;
};

/// Start of an operator or node that is in progress.
struct Started : at::ObserverContext {
  double start_s = 0;
};

/// Observer of one step.
class StepWatch {
 public:
  explicit StepWatch(const base::Clock& clock) : clock_(clock) {}

  std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
    if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) {
      ++depth_;  // operators of a node are parts of the node
      return started();
    }
    if (depth_++ > 0) return std::make_unique<Started>();
    calls_.push_back({function.name(), first_number(function.name())});
    return started();
  }

  void end(const at::RecordFunction& function, const at::ObserverContext& context) {
    const double end_s = clock_.steady_s();
    const double taken_s = end_s - static_cast<const Started&>(context).start_s;
    --depth_;
    if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) {
      add_node(function, taken_s);
    } else if (depth_ == 0) {
      calls_.back().forward_s = taken_s;
    }
  }

  const std::vector<TimedCall>& calls() const { return calls_; }

 private:
  std::unique_ptr<Started> started() const {
    auto started = std::make_unique<Started>();
    started->start_s = clock_.steady_s();
    return started;
  }

  /// Returns the sequence number of the first node that a call creates. An operator of dlscale is
  /// an autograd function, whose node exists before its forward pass begins.
  static std::uint64_t first_number(std::string_view name) {
    const std::uint64_t next = at::sequence_number::peek();
    return name.starts_with("dlscale::") && next > 0 ? next - 1 : next;
  }

  void add_node(const at::RecordFunction& function, double taken_s) {
    const std::string_view name = function.name();
    if (name.find("AccumulateGrad") != std::string_view::npos) return;
    const auto number = static_cast<std::uint64_t>(function.seqNr());
    const auto after =
        std::upper_bound(calls_.begin(), calls_.end(), number,
                         [](std::uint64_t n, const TimedCall& call) { return n < call.sequence; });
    if (after != calls_.begin()) std::prev(after)->backward_s += taken_s;
  }

  const base::Clock& clock_;
  std::vector<TimedCall> calls_;
  int depth_ = 0;
};

/// Observer of the running step on this thread, or null.
thread_local StepWatch* watching = nullptr;

std::unique_ptr<at::ObserverContext> begin_timed(const at::RecordFunction& call) {
  return watching == nullptr ? nullptr : watching->begin(call);
}

void end_timed(const at::RecordFunction& call, at::ObserverContext* context) {
  if (watching != nullptr && context != nullptr) watching->end(call, *context);
}

/// Registration of the observer functions, for the lifetime of the object.
class Observing {
 public:
  Observing()
      : callback_(at::addThreadLocalCallback(
            at::RecordFunctionCallback(begin_timed, end_timed)
                .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}))) {}
  ~Observing() {
    watching = nullptr;
    at::removeCallback(callback_);
  }
  Observing(const Observing&) = delete;
  Observing& operator=(const Observing&) = delete;

 private:
  at::CallbackHandle callback_;
};

/// Returns true if the call `name` runs the operator that the trace calls `kind`. Both names can
/// differ for convolutions, because the traced batch has a different memory layout from the timed
/// batches and is convolved by LibTorch instead of dlscale.
bool is_kind(const std::string& name, const std::string& kind) {
  if (name == "dlscale::convolution") return kind == "conv2d" || kind == "convolution";
  const std::size_t colons = name.find("::");
  return kind == (colons == std::string::npos ? name : name.substr(colons + 2));
}

/// Times of a layer, or of all layers, in each measured step.
struct LayerSeconds {
  std::vector<double> forward, backward, update;
};

/// Repeated training steps of a model.
class LayerSteps {
 public:
  LayerSteps(Model& model, const ForwardPass& forward, const std::vector<TracedLayer>& traced,
             const contract::OptimizerSpec& optimizer, const base::Clock& clock)
      : model_(model), forward_(forward), traced_(traced), clock_(clock), times_(traced.size()) {
    const OptimizerEntry& entry = base::find(optimizer_table(), "optimizer", optimizer.kind);
    for (const TracedLayer& layer : traced) {
      if (layer.parameters.empty()) {
        optimizers_.emplace_back();
      } else {
        optimizers_.push_back(entry.make(optimizer, {.tensors = layer.parameters}));
      }
    }
  }

  void step(const at::Tensor& batch) {
    for (const at::Tensor& parameter : model_.parameters()) parameter.mutable_grad().reset();
    StepWatch watch(clock_);
    const double start_s = clock_.steady_s();
    watching = &watch;
    const at::Tensor output = forward_(batch);
    watching = nullptr;
    const double forward_s = clock_.steady_s();
    const at::Tensor gradient = at::ones_like(output);
    const double backward_start_s = clock_.steady_s();
    watching = &watch;
    output.backward(gradient);
    watching = nullptr;
    passes_.forward.push_back(forward_s - start_s);
    passes_.backward.push_back(clock_.steady_s() - backward_start_s);
    for (std::size_t i = 0; i < traced_.size(); ++i) record_layer(i, watch.calls());
  }

  /// Discards the times of the steps so far.
  void forget() {
    passes_ = {};
    for (LayerSeconds& layer : times_) layer = {};
  }

  std::size_t steps() const { return passes_.forward.size(); }

  contract::StepLayers medians() const {
    contract::StepLayers medians{.forward_s = timing_of(passes_.forward).median_s,
                                 .backward_s = timing_of(passes_.backward).median_s,
                                 .repetitions = static_cast<int>(steps())};
    for (std::size_t i = 0; i < traced_.size(); ++i) {
      medians.layers.push_back({traced_[i].card, timing_of(times_[i].forward).median_s,
                                timing_of(times_[i].backward).median_s,
                                timing_of(times_[i].update).median_s});
    }
    return medians;
  }

 private:
  /// Records the times of a layer in both passes, and measures the update of its parameters.
  void record_layer(std::size_t layer, const std::vector<TimedCall>& calls) {
    const TracedLayer& traced = traced_[layer];
    const bool same =
        traced.call < calls.size() && is_kind(calls[traced.call].name, traced.card.kind);
    if (!same) {
      throw base::RunError(fmt::format(
          "{}: a step calls {} instead of the traced operator {}, so the times of single layers "
          "are unknown",
          traced.card.name, traced.call < calls.size() ? calls[traced.call].name : "no operator",
          traced.card.kind));
    }
    times_[layer].forward.push_back(calls[traced.call].forward_s);
    times_[layer].backward.push_back(calls[traced.call].backward_s);
    const double start_s = clock_.steady_s();
    if (optimizers_[layer]) optimizers_[layer]->step(kUpdateRate);
    times_[layer].update.push_back(optimizers_[layer] ? clock_.steady_s() - start_s : 0);
  }

  Model& model_;
  const ForwardPass& forward_;
  const std::vector<TracedLayer>& traced_;
  const base::Clock& clock_;
  const Observing observing_;
  std::vector<std::unique_ptr<Optimizer>> optimizers_;  ///< null for layers without parameters
  std::vector<LayerSeconds> times_;
  LayerSeconds passes_;
};

/// Returns a batch of random numbers in the shape of `batch`. Words of a text stay as they are.
at::Tensor filled(at::Tensor batch) {
  if (!batch.is_floating_point()) return batch;
  batch.uniform_();
  return batch.dim() == 4 ? batch.contiguous(at::MemoryFormat::ChannelsLast) : batch;
}

}  // namespace

contract::StepLayers time_layers(Model& model, const MakeBatch& make_batch,
                                 const ForwardPass& forward, const std::vector<TracedLayer>& traced,
                                 const LayerTiming& timing, const base::Clock& clock) {
  const at::Tensor batch = filled(make_batch(timing.batch));
  LayerSteps steps(model, forward, traced, timing.optimizer, clock);
  for (int i = 0; i < kWarmUpSteps; ++i) steps.step(batch);
  steps.forget();
  const double start_s = clock.steady_s();
  while (steps.steps() < kFewestSteps ||
         (clock.steady_s() - start_s < timing.seconds && steps.steps() < kMostSteps)) {
    steps.step(batch);
  }
  contract::StepLayers measured = steps.medians();
  measured.batch = timing.batch;
  measured.optimizer = timing.optimizer.kind;
  measured.momentum = timing.optimizer.momentum;
  return measured;
}

}  // namespace dlscale::trainer
