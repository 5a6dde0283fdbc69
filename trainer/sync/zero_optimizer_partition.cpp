// SPDX-License-Identifier: Apache-2.0
#include "trainer/sync/zero_optimizer_partition.hpp"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/types.h>

#include <algorithm>
#include <utility>

#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/sync/gradient_hooks.hpp"
#include "trainer/sync/tensor_collectives.hpp"
#include "trainer/sync/zero_gradient_buckets.hpp"

namespace dlscale::trainer {
namespace {

at::Tensor empty_on_host(const at::Tensor& like) {
  return at::empty(like.sizes(), like.options().device(at::kCPU).requires_grad(false).pinned_memory(
                                     like.is_cuda()));
}

class HostOptimizer : public GradientSync {
 public:
  HostOptimizer(std::unique_ptr<GradientSync> sync, const base::Clock& clock)
      : sync_(std::move(sync)), clock_(clock), device_(sync_->optimized()) {
    host_.is_shard = device_.is_shard;
    host_.pieces = device_.pieces;
    for (const at::Tensor& tensor : device_.tensors) {
      host_.tensors.push_back(empty_on_host(tensor));
      host_.tensors.back().mutable_grad() = empty_on_host(tensor);
    }
    copy_parameters_to_host();
  }

  void before_forward(bool exchanges) override { sync_->before_forward(exchanges); }
  void before_backward(const at::Tensor& output) override { sync_->before_backward(output); }
  void after_backward() override {
    sync_->after_backward();
    wait_for_gradients();
    const double begin_s = clock_.steady_s();
    for (std::size_t i = 0; i < host_.tensors.size(); ++i) {
      host_.tensors[i].mutable_grad().copy_(device_.tensors[i].grad());
    }
    copying_s_ = clock_.steady_s() - begin_s;
  }
  Optimized optimized() override { return host_; }
  void after_step() override {
    const at::NoGradGuard no_gradients;
    for (std::size_t i = 0; i < host_.tensors.size(); ++i) {
      device_.tensors[i].copy_(host_.tensors[i]);
    }
    sync_->after_step();
  }
  void gather_parameters() override { sync_->gather_parameters(); }
  void release_parameters(bool changed) override {
    sync_->release_parameters(changed);
    if (changed) copy_parameters_to_host();
  }
  double exposed_comm_s() const override { return sync_->exposed_comm_s() + copying_s_; }
  double exposed_in_forward_s() const override { return sync_->exposed_in_forward_s(); }
  std::vector<NamedTensor> state() override { return sync_->state(); }
  Counts take_counts() override { return sync_->take_counts(); }

 private:
  /// Waits until the GPU has finished the backward pass. Otherwise, the measured time of the copies
  /// would include the rest of the backward pass.
  void wait_for_gradients() const {
    if (device_.tensors.empty()) return;
    const c10::Device device = device_.tensors.front().device();
    c10::impl::VirtualGuardImpl(device.type()).getStream(device).synchronize();
  }
  void copy_parameters_to_host() {
    const at::NoGradGuard no_gradients;
    for (std::size_t i = 0; i < host_.tensors.size(); ++i) {
      host_.tensors[i].copy_(device_.tensors[i]);
    }
  }

  std::unique_ptr<GradientSync> sync_;
  const base::Clock& clock_;
  Optimized device_, host_;  ///< corresponding tensors, in the same order
  double copying_s_ = 0;
};

}  // namespace

std::unique_ptr<GradientSync> with_host_optimizer(std::unique_ptr<GradientSync> sync,
                                                  const base::Clock& clock) {
  return std::make_unique<HostOptimizer>(std::move(sync), clock);
}

namespace {

class OptimizerPartition : public GradientSync {
 public:
  explicit OptimizerPartition(const SyncContext& context)
      : parameters_(context.parameters),
        queue_(context.queue),
        gather_elements_(context.options.allgather_bucket_elements),
        reduces_in_backward_(context.options.zero_stage == 2 ||
                             context.options.overlap_comm == "on"),
        flat_(parameters_, queue_.size()),
        owned_(flat_.partition(queue_.rank())),
        partition_(flat_.vector().narrow(0, owned_.first, owned_.count).detach()),
        buckets_({.elements = context.options.reduce_bucket_elements,
                  .overlaps = context.options.overlap_comm == "on",
                  .to_owners = context.options.use_reduce_scatter},
                 flat_.partition_size(), queue_,
                 [this](const GradientPlace& place, const at::Tensor& mean) { keep(place, mean); }),
        order_(parameters_.size(), [this](std::size_t i) { hand_over(i); }) {
    partition_.mutable_grad() = at::zeros_like(partition_);
    if (!reduces_in_backward_) return;
    hooks_ = GradientHooks(parameters_, [this](std::size_t i) { order_.ready(i); });
  }

  void before_forward(bool) override {
    if (std::exchange(starts_step_, false)) {
      partition_.mutable_grad().zero_();
      exposed_s_ = exposed_in_forward_s_ = 0;
    } else if (reduces_in_backward_) {
      exposed_s_ += buckets_.take_exposed_s();
      order_.finish();  // submits the gradients left over from the last micro-batch
      exposed_in_forward_s_ += buckets_.take_exposed_s();
    }
    order_.restart();
  }

  void after_backward() override {
    order_.finish();
    buckets_.finish();
    starts_step_ = true;
    exposed_s_ += exposed_in_forward_s_ + buckets_.take_exposed_s();
  }

  Optimized optimized() override { return {{partition_}, true, flat_.pieces(queue_.rank())}; }
  void after_step() override;
  double exposed_comm_s() const override { return exposed_s_; }
  double exposed_in_forward_s() const override { return exposed_in_forward_s_; }

 private:
  /// Adds a gradient to the buckets. If this rank did not use the parameter, the gradient is zeros,
  /// because another rank may have used the parameter.
  void hand_over(std::size_t i) {
    at::Tensor& gradient = parameters_[i].mutable_grad();
    if (!gradient.defined()) gradient = at::zeros_like(parameters_[i]);
    buckets_.add({i, flat_.range(i)}, gradient);
    gradient.reset();
  }

  void keep(const GradientPlace& place, const at::Tensor& mean) {
    const FlatRange& range = place.range;
    const FlatRange mine = range.shared_with(owned_);
    if (mine.count == 0) return;
    partition_.grad()
        .narrow(0, mine.first - owned_.first, mine.count)
        .add_(mean.narrow(0, mine.first - range.first, mine.count));
  }

  std::vector<at::Tensor> parameters_;
  CollectiveQueue& queue_;
  std::int64_t gather_elements_;
  bool reduces_in_backward_;
  FlatParameters flat_;
  FlatRange owned_;
  at::Tensor partition_;  ///< partition of this rank; shares memory with flat_.vector()
  GradientBuckets buckets_;
  LastToFirst order_;
  GradientHooks hooks_;
  bool starts_step_ = true;
  double exposed_s_ = 0;
  double exposed_in_forward_s_ = 0;
};

/// Gathers the partitions of all ranks. Partitions that are larger than a bucket are gathered in
/// several parts, so that the transfer needs no more memory than one bucket.
void OptimizerPartition::after_step() {
  const std::int64_t part = std::max<std::int64_t>(1, gather_elements_ / queue_.size());
  if (part >= owned_.count) {
    queue_.all_gather(span_of(partition_), span_of(flat_.vector()))->wait();
  } else {
    const at::NoGradGuard no_gradients;
    const at::Tensor rows = flat_.vector().view({queue_.size(), owned_.count});
    for (std::int64_t first = 0; first < owned_.count; first += part) {
      const std::int64_t count = std::min(part, owned_.count - first);
      const at::Tensor gathered = at::empty({queue_.size(), count}, partition_.options());
      queue_.all_gather(span_of(partition_.narrow(0, first, count)), span_of(gathered))->wait();
      rows.narrow(1, first, count).copy_(gathered);
    }
  }
}

class BucketedAllReduce : public GradientSync {
 public:
  explicit BucketedAllReduce(const SyncContext& context)
      : parameters_(context.parameters),
        buckets_(
            {.elements = context.options.reduce_bucket_elements},
            total(parameters_, context.queue.size()), context.queue,
            [this](const GradientPlace& place, const at::Tensor& mean) { keep(place, mean); }) {}

  void after_backward() override {
    for (std::size_t i = parameters_.size(); i-- > 0;) {
      at::Tensor& gradient = parameters_[i].mutable_grad();
      if (!gradient.defined()) gradient = at::zeros_like(parameters_[i]);
      buckets_.add({i, {0, gradient.numel()}}, gradient);  // the range is not used in stage 0
    }
    buckets_.finish();
    exposed_s_ = buckets_.take_exposed_s();
  }

  Optimized optimized() override { return {parameters_}; }
  double exposed_comm_s() const override { return exposed_s_; }

 private:
  static std::int64_t total(const std::vector<at::Tensor>& parameters, int ranks) {
    std::int64_t sum = 0;
    for (const at::Tensor& parameter : parameters) sum += parameter.numel();
    return (sum + ranks - 1) / ranks;
  }
  void keep(const GradientPlace& place, const at::Tensor& mean) {
    at::Tensor& gradient = parameters_[place.parameter].mutable_grad();
    in_memory_order(gradient).copy_(mean);
  }

  std::vector<at::Tensor> parameters_;
  GradientBuckets buckets_;
  double exposed_s_ = 0;
};

}  // namespace

std::unique_ptr<GradientSync> make_optimizer_partition(const SyncContext& context) {
  return std::make_unique<OptimizerPartition>(context);
}

std::unique_ptr<GradientSync> make_bucketed_all_reduce(const SyncContext& context) {
  return std::make_unique<BucketedAllReduce>(context);
}

}  // namespace dlscale::trainer
