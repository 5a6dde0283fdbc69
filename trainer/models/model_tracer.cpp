// SPDX-License-Identifier: Apache-2.0
// Tracer for the operators of a model, which computes the cost of each operator as a function of
// the batch size.
//
// The prediction of step times needs the FLOPs, the memory traffic and the live memory of every
// operator of any model. The tracer therefore runs the model forward and backward and observes
// LibTorch's operator callbacks and memory reports. The cost of an operator is a fixed cost plus a
// cost per sample. Two runs with different batch sizes are needed to separate the fixed cost from
// the cost per sample.
#include "trainer/models/model_tracer.hpp"

#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/models/operator_counts.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::int64_t kFewer = 2, kMore = 4;  // numbers of samples in the two traced batches

struct WalkedPass {
  double flops = 0, read = 0, written = 0, live = 0;
};

struct WalkedLayer {
  std::string name, kind, block;
  bool in_place = false;
  std::int64_t parameters = 0;
  std::vector<at::Tensor> own;  ///< parameters that no earlier layer has read
  double parameter_bytes = 0;
  WalkedPass forward, backward;
  double saved = 0;
  std::map<std::string, double> size;  ///< sizes of the call; "b" is the number of samples
  std::uint64_t sequence = 0;          ///< autograd's sequence number at the start
  std::size_t call = 0;                ///< number of outermost calls before this one
};

/// Observations about an operator call that is in progress.
struct WatchedCall : at::ObserverContext {
  bool outermost = false;
  bool counts = false;
  double read = 0;
  std::set<const void*> given;
};

/// Trace of one batch through the model. LibTorch reports operator calls and memory allocations to
/// the trace on the thread that computes.
class Walk : public c10::MemoryReportingInfoBase, public BlockWatch {
 public:
  explicit Walk(Model& model) : model_(model) {
    for (const NamedTensor& weight : model.weights()) {
      names_[memory_of(weight.tensor)] = weight.name.substr(0, weight.name.rfind('.'));
    }
    for (const at::Tensor& each : model.parameters()) untouched_[memory_of(each)] = each;
  }

  std::vector<WalkedLayer> release_layers() {
    for (const auto& [pointer, allocation] : alive_at_end_) {
      const std::size_t layer = std::min(allocation.layer, layers_.size() - 1);
      layers_[layer].saved += allocation.bytes;
    }
    return std::move(layers_);
  }
  /// Ends the forward pass. The memory that is still allocated at this time is the memory saved for
  /// the backward pass.
  void end_forward() {
    alive_at_end_ = alive_;
    forward_ = false;
  }

  std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
    if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) return begin_node(function);
    auto call = std::make_unique<WatchedCall>();
    const std::string_view name = function.name();
    call->outermost = depth_++ == 0;
    if (call->outermost) {
      const std::vector<at::Tensor> inputs = tensors_of(function.inputs());
      call->read = bytes_of(inputs);
      for (const at::Tensor& each : inputs) call->given.insert(memory_of(each));
      if (forward_) {
        begin_layer(name, inputs);
        layers_.back().size = size_of(function);
      }
    }
    call->counts = counting_ == 0 && computes(name);
    if (!call->counts) return call;
    ++counting_;
    pass().flops += flops_of(function);
    return call;
  }

  void end(const at::RecordFunction& function, at::ObserverContext& context) {
    if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) return end_node();
    auto& call = static_cast<WatchedCall&>(context);
    --depth_;
    if (call.counts) --counting_;
    if (!call.outermost) return;
    const std::vector<at::Tensor> outputs = tensors_of(function.outputs());
    const std::string_view name = function.name();
    const bool view = is_view(name, call.given, outputs);
    if (view && forward_) return forget_layer();
    if (!view && !name.starts_with("aten::empty")) {
      pass().read += call.read;
      pass().written += bytes_of(outputs);
    }
    if (forward_) pass().live = live_;
  }

  void before_block(std::size_t block) override { block_ = model_.blocks()[block].name; }
  void after_block(std::size_t, const at::Tensor&) override {}

  void reportMemoryUsage(void* pointer, std::int64_t size, std::size_t, std::size_t,
                         c10::Device) override {
    if (size > 0) {
      alive_[pointer] = {static_cast<double>(size), depth_ > 0 ? last() : layers_.size()};
      live_ += static_cast<double>(size);
    } else if (const auto found = alive_.find(pointer); found != alive_.end()) {
      live_ -= found->second.bytes;
      alive_.erase(found);
    }
  }
  bool memoryProfilingEnabled() const override { return true; }

 private:
  struct Allocation {
    double bytes = 0;
    std::size_t layer = 0;
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::size_t last() const { return layers_.empty() ? 0 : layers_.size() - 1; }
  /// Returns the record to which the cost of the running operator is added. In the forward pass,
  /// this is the record of the last layer. In the backward pass, it is the record of the layer to
  /// which the running node belongs.
  WalkedPass& pass() {
    if (forward_) return layers_.back().forward;
    return node_ == kNone ? elsewhere_ : layers_[node_].backward;
  }

  void begin_layer(std::string_view name, const std::vector<at::Tensor>& inputs) {
    WalkedLayer layer{.name = layers_.empty() ? block_ : layers_.back().name, .block = block_};
    layer.kind = name.substr(name.find("::") == name.npos ? 0 : name.find("::") + 2);
    layer.in_place = name.ends_with('_');
    layer.sequence = at::sequence_number::peek();
    layer.call = calls_++;
    for (const at::Tensor& each : inputs) {
      const void* const memory = memory_of(each);
      if (const auto named = names_.find(memory); named != names_.end()) layer.name = named->second;
      const auto own = untouched_.find(memory);
      if (own == untouched_.end()) continue;
      layer.parameters += own->second.numel();
      layer.parameter_bytes += bytes_of({own->second});
      layer.own.push_back(own->second);
      untouched_.erase(own);
    }
    layers_.push_back(std::move(layer));
  }

  /// Removes the last layer, because it is a view. The parameters of the view are assigned to the
  /// next layer that reads them.
  void forget_layer() {
    for (const at::Tensor& each : layers_.back().own) untouched_[memory_of(each)] = each;
    layers_.pop_back();
  }

  /// Finds the layer to which a backward node belongs. This is the last layer that began before
  /// autograd created the node in the forward pass.
  std::unique_ptr<at::ObserverContext> begin_node(const at::RecordFunction& function) {
    const auto number = static_cast<std::uint64_t>(function.seqNr());
    const auto after = std::upper_bound(
        layers_.begin(), layers_.end(), number,
        [](std::uint64_t n, const WalkedLayer& layer) { return n < layer.sequence; });
    const bool gathers =
        std::string_view(function.name()).find("AccumulateGrad") != std::string_view::npos;
    outer_depth_ = std::exchange(depth_, 0);
    node_ = gathers || after == layers_.begin()
                ? kNone
                : static_cast<std::size_t>(after - layers_.begin()) - 1;
    return std::make_unique<WatchedCall>();
  }

  /// Ends a backward node and records the memory that is allocated at this time. This memory
  /// includes the parameter gradients of this layer and of all later layers. These gradients are
  /// subtracted, because they are not part of the working memory of the pass.
  void end_node() {
    depth_ = outer_depth_;
    if (node_ == kNone) return;
    double gradients = 0;
    for (std::size_t i = node_; i < layers_.size(); ++i) gradients += layers_[i].parameter_bytes;
    layers_[node_].backward.live = std::max(0.0, live_ - gradients);
    node_ = kNone;
  }

  Model& model_;
  std::map<const void*, std::string> names_;
  std::map<const void*, at::Tensor> untouched_;  ///< parameters that no layer has read yet
  std::vector<WalkedLayer> layers_;
  std::map<void*, Allocation> alive_, alive_at_end_;
  double live_ = 0;
  bool forward_ = true;
  std::size_t calls_ = 0;  ///< number of outermost calls in the forward pass
  std::string block_;
  std::size_t node_ = kNone;  ///< layer of the running backward node
  WalkedPass elsewhere_;      ///< cost of operators outside any layer
  int depth_ = 0;             ///< nesting depth of operators; starts at 0 in each node
  int outer_depth_ = 0;       ///< nesting depth outside the running backward node
  int counting_ = 0;
};

/// Trace in progress on this thread, or null.
thread_local Walk* walking = nullptr;

std::unique_ptr<at::ObserverContext> begin_watched(const at::RecordFunction& call) {
  return walking == nullptr ? nullptr : walking->begin(call);
}

void end_watched(const at::RecordFunction& call, at::ObserverContext* context) {
  if (walking != nullptr && context != nullptr) walking->end(call, *context);
}

std::vector<WalkedLayer> walk(Model& model, const MakeBatch& make_batch, const ForwardPass& forward,
                              std::int64_t samples) {
  for (const at::Tensor& parameter : model.parameters()) parameter.mutable_grad().reset();
  const auto way = std::make_shared<Walk>(model);
  const c10::DebugInfoGuard memory(c10::DebugInfoKind::PROFILER_STATE, way);
  const at::Tensor batch = make_batch(samples);
  const auto watch = at::addThreadLocalCallback(
      at::RecordFunctionCallback(begin_watched, end_watched)
          .needsInputs(true)
          .needsOutputs(true)
          .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
  model.watch_blocks(way.get());
  walking = way.get();
  at::Tensor output = forward(batch);
  way->end_forward();
  walking = nullptr;  // pauses the trace, because ones_like is not part of the model
  const at::Tensor gradient = at::ones_like(output);
  walking = way.get();
  output.backward(gradient);
  walking = nullptr;
  model.watch_blocks(nullptr);
  at::removeCallback(watch);
  for (const at::Tensor& parameter : model.parameters()) parameter.mutable_grad().reset();
  return way->release_layers();
}

/// Returns the cost as a linear function of the batch size. `fewer` and `more` are the costs in the
/// traces with kFewer and kMore samples.
contract::BatchCost line_through(double fewer, double more) {
  const double slope = (more - fewer) / (kMore - kFewer);
  return {fewer - slope * kFewer, slope};
}

contract::PassCost line_through(const WalkedPass& fewer, const WalkedPass& more) {
  return {line_through(fewer.flops, more.flops), line_through(fewer.read, more.read),
          line_through(fewer.written, more.written), line_through(fewer.live, more.live)};
}

/// Returns the sizes of an operator without the size "b" if all other sizes are equal in both
/// traces. Otherwise, returns an empty map. Also returns an empty map if "b" is not the number of
/// samples, for example because it counts the tokens of texts.
std::map<std::string, double> size_of_sample(std::map<std::string, double> fewer,
                                             std::map<std::string, double> more) {
  if (fewer["b"] != kFewer || more["b"] != kMore) return {};
  fewer.erase("b");
  more.erase("b");
  return fewer == more ? fewer : std::map<std::string, double>{};
}

bool says_something(const contract::LayerCard& layer) {
  return layer.parameters > 0 || layer.saved.per_sample > 0 ||
         layer.forward.read.per_sample + layer.forward.written.per_sample > 0;
}

}  // namespace

std::vector<TracedLayer> trace_layers(Model& model, const MakeBatch& make_batch,
                                      const ForwardPass& forward) {
  const std::vector<WalkedLayer> fewer = walk(model, make_batch, forward, kFewer);
  const std::vector<WalkedLayer> more = walk(model, make_batch, forward, kMore);
  std::vector<TracedLayer> layers;
  for (std::size_t i = 0; i < std::max(fewer.size(), more.size()); ++i) {
    if (fewer.size() != more.size() || fewer[i].kind != more[i].kind) {
      throw base::RunError(
          fmt::format("the operators depend on the batch size: {} operators for {} samples, but {} "
                      "for {}; the cost of other batch sizes cannot be derived",
                      fewer.size(), kFewer, more.size(), kMore));
    }
    const WalkedLayer &a = fewer[i], &b = more[i];
    contract::LayerCard card{a.name,
                             a.kind,
                             a.block,
                             a.in_place,
                             a.parameters,
                             static_cast<int>(a.own.size()),
                             line_through(a.forward, b.forward),
                             line_through(a.backward, b.backward),
                             line_through(a.saved, b.saved),
                             size_of_sample(a.size, b.size)};
    if (says_something(card)) layers.push_back({std::move(card), a.call, a.own});
  }
  return layers;
}

std::vector<contract::LayerCard> walk_model(Model& model, const MakeBatch& make_batch,
                                            const ForwardPass& forward) {
  std::vector<contract::LayerCard> cards;
  for (TracedLayer& layer : trace_layers(model, make_batch, forward)) {
    cards.push_back(std::move(layer.card));
  }
  return cards;
}

}  // namespace dlscale::trainer
