// SPDX-License-Identifier: Apache-2.0
// Framework style "synchronous". After the backward pass, this style all-reduces the gradients of
// the parameters one after the other.
#include <ATen/ATen.h>

#include "trainer/sync/gradient_sync.hpp"
#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::trainer {
namespace {

class Synchronous : public GradientSync {
 public:
  explicit Synchronous(const SyncContext& context)
      : parameters_(context.parameters), queue_(context.queue) {}

  void after_backward() override {
    exposed_s_ = 0;
    if (queue_.size() == 1) return define_all();
    for (at::Tensor& parameter : parameters_) {
      at::Tensor& gradient = defined_gradient(parameter);
      exposed_s_ += queue_.wait_for(*queue_.all_reduce(span_of(gradient), ReduceOp::sum));
      gradient.div_(queue_.size());
    }
  }

  Optimized optimized() override { return {parameters_}; }
  double exposed_comm_s() const override { return exposed_s_; }

 private:
  /// Returns the gradient of `parameter`. Sets an undefined gradient to zeros, because another rank
  /// may have used a parameter that this rank did not use. Every rank must take part in the
  /// all-reduce of each gradient.
  static at::Tensor& defined_gradient(at::Tensor& parameter) {
    at::Tensor& gradient = parameter.mutable_grad();
    if (!gradient.defined()) gradient = at::zeros_like(parameter);
    return gradient;
  }
  /// Sets all undefined gradients to zeros, without an exchange. With a single rank, no further
  /// work is needed.
  void define_all() {
    for (at::Tensor& parameter : parameters_) defined_gradient(parameter);
  }

  std::vector<at::Tensor> parameters_;
  CollectiveQueue& queue_;
  double exposed_s_ = 0;
};

std::unique_ptr<GradientSync> make_synchronous(const SyncContext& context) {
  return std::make_unique<Synchronous>(context);
}

}  // namespace

extern const SyncEntry synchronous_entry;
const SyncEntry synchronous_entry{
    .name = "synchronous",
    .summary = "one blocking all-reduce per parameter, after the backward pass",
    .make = &make_synchronous};

}  // namespace dlscale::trainer
