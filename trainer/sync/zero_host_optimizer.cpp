// SPDX-License-Identifier: Apache-2.0
#include "trainer/sync/zero_host_optimizer.hpp"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/types.h>

#include <utility>

#include "trainer/checkpoint/named_tensor.hpp"

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
  /// Copying begins where a GPU has come to the end of the backward pass, not while it computes.
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
  Optimized device_, host_;  ///< the same tensors, in the same order
  double copying_s_ = 0;
};

}  // namespace

std::unique_ptr<GradientSync> with_host_optimizer(std::unique_ptr<GradientSync> sync,
                                                  const base::Clock& clock) {
  return std::make_unique<HostOptimizer>(std::move(sync), clock);
}

}  // namespace dlscale::trainer
