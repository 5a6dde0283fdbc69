// SPDX-License-Identifier: Apache-2.0
#include "trainer/bench/kernel_calls.hpp"

#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "base/registry.hpp"
#include "trainer/models/batch_norm.hpp"
#include "trainer/models/convolution.hpp"
#include "trainer/optim/optimizer.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::int64_t kDrawn = 1 << 16;  // number of random values, which longer arrays repeat
constexpr double kLearningRate = 1e-3;
constexpr double kMomentum = 0.9;

/// Factory of the arrays for one kernel size.
class Workplace {
 public:
  Workplace(const KernelSize& size, const std::string& precision, const Device& device)
      : size_(size),
        type_(precision == "bf16" ? at::kBFloat16 : at::kFloat),
        device_(device.torch_device()),
        channels_last_(device_.is_cpu() || precision == "bf16") {}

  std::int64_t at(const char* key) const {
    return static_cast<std::int64_t>(std::llround(size_.at(key)));
  }

  /// Returns a tensor of random values between -0.5 and 0.5.
  at::Tensor values(const std::vector<std::int64_t>& shape) const { return values(shape, type_); }
  at::Tensor values(const std::vector<std::int64_t>& shape, at::ScalarType type) const {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    const at::Tensor few = at::rand({std::min(count, kDrawn)}).sub_(0.5).to(device_, type);
    const std::int64_t times = (count + few.numel() - 1) / few.numel();
    at::Tensor all = few.repeat({times}).narrow(0, 0, count).view(shape);
    if (shape.size() == 4 && channels_last_) all = all.contiguous(at::MemoryFormat::ChannelsLast);
    return all;
  }
  /// Returns a tensor of random values that requires a gradient.
  at::Tensor variable(const std::vector<std::int64_t>& shape) const {
    return values(shape).requires_grad_();
  }
  at::Tensor images(const char* channels) const {
    return values({at("b"), at(channels), at("h_in"), at("h_in")});
  }
  at::Device device() const { return device_; }

 private:
  const KernelSize& size_;
  at::ScalarType type_;
  at::Device device_;
  bool channels_last_;
};

/// Returns a kernel call that runs the backward pass from `output` to the tensors `of`. The call
/// computes only the gradients of these tensors, and can be repeated.
KernelCall backward(const at::Tensor& output, const std::vector<at::Tensor>& of) {
  const at::Tensor gradient = at::ones_like(output);
  return [=] { torch::autograd::grad({output}, of, {gradient}, /*retain_graph=*/true); };
}

enum class Direction { forward, data, filter };

KernelCall convolution(const Workplace& place, Direction direction) {
  const std::int64_t kernel = place.at("kernel"), stride = place.at("stride");
  // Compute the smallest padding with which the output has the height h_out.
  const std::int64_t reach = (place.at("h_out") - 1) * stride + kernel - place.at("h_in");
  const std::int64_t pad = std::max<std::int64_t>(0, (reach + 1) / 2);
  at::Tensor input = place.images("c_in");
  at::Tensor weight = place.values({place.at("c_out"), place.at("c_in"), kernel, kernel});
  input.requires_grad_(direction != Direction::filter);
  weight.requires_grad_(direction != Direction::data);
  const auto call = [=] { return convolve(input, weight, {}, {stride, stride}, {pad, pad}); };
  if (direction == Direction::forward) return [=] { call(); };
  return backward(call(), {direction == Direction::data ? input : weight});
}

KernelCall batch_norm(const Workplace& place, Direction direction) {
  BatchNorm2d norm(place.at("c"));
  norm->to(place.device(), at::kFloat);
  norm->train();
  const at::Tensor input = place.images("c").requires_grad_();
  if (direction == Direction::forward) return [=]() mutable { norm->forward(input); };
  return backward(norm->forward(input), {input, norm->weight, norm->bias});
}

KernelCall pool(const Workplace& place, bool takes_most, Direction direction) {
  const std::int64_t kernel = place.at("kernel"), stride = place.at("stride");
  const std::int64_t reach = (place.at("h_out") - 1) * stride + kernel - place.at("h_in");
  const std::int64_t pad = std::max<std::int64_t>(0, (reach + 1) / 2);
  const at::Tensor input = place.images("c").requires_grad_();
  const auto call = [=] {
    return takes_most ? at::max_pool2d(input, kernel, stride, pad)
                      : at::avg_pool2d(input, kernel, stride, pad);
  };
  if (direction == Direction::forward) return [=] { call(); };
  return backward(call(), {input});
}

KernelCall linear(const Workplace& place, Direction direction) {
  at::Tensor input = place.values({place.at("b"), place.at("inputs")});
  at::Tensor weight = place.values({place.at("outputs"), place.at("inputs")});
  const at::Tensor bias = place.variable({place.at("outputs")});
  input.requires_grad_(direction != Direction::filter);
  weight.requires_grad_(direction != Direction::data);
  if (direction == Direction::forward) return [=] { at::linear(input, weight, bias); };
  const at::Tensor output = at::linear(input, weight, bias);
  if (direction == Direction::data) return backward(output, {input});
  return backward(output, {weight, bias});
}

/// Returns a kernel call in which an optimizer of this program updates one vector of parameters.
KernelCall update(const Workplace& place, const char* kind, double momentum) {
  const at::Tensor parameter = place.values({place.at("n")}, at::kFloat).requires_grad_();
  parameter.mutable_grad() = place.values({place.at("n")}, at::kFloat);
  contract::OptimizerSpec spec;
  spec.kind = kind;
  spec.momentum = momentum;
  const std::shared_ptr<Optimizer> optimizer =
      base::find(optimizer_table(), "optimizer", kind).make(spec, {.tensors = {parameter}});
  return [=] { optimizer->step(kLearningRate); };
}

using Make = KernelCall (*)(const Workplace&);

const std::map<std::string, Make>& makers() {
  using P = const Workplace&;
  static const std::map<std::string, Make> all{
      {"convolution_forward", [](P p) { return convolution(p, Direction::forward); }},
      {"convolution_backward_data", [](P p) { return convolution(p, Direction::data); }},
      {"convolution_backward_filter", [](P p) { return convolution(p, Direction::filter); }},
      {"bias_forward",
       [](P p) -> KernelCall {
         return
             [x = p.images("c"), bias = p.values({1, p.at("c"), 1, 1})]() mutable { x.add_(bias); };
       }},
      {"bias_backward",
       [](P p) -> KernelCall {
         return [gradient = p.images("c")] { at::sum(gradient, at::IntArrayRef{0, 2, 3}); };
       }},
      {"batch_norm_forward", [](P p) { return batch_norm(p, Direction::forward); }},
      {"batch_norm_backward", [](P p) { return batch_norm(p, Direction::data); }},
      {"max_pool_forward", [](P p) { return pool(p, true, Direction::forward); }},
      {"max_pool_backward", [](P p) { return pool(p, true, Direction::data); }},
      {"avg_pool_forward", [](P p) { return pool(p, false, Direction::forward); }},
      {"avg_pool_backward", [](P p) { return pool(p, false, Direction::data); }},
      {"relu_forward",
       [](P p) -> KernelCall { return [x = p.values({p.at("n")})]() mutable { at::relu_(x); }; }},
      {"relu_backward",
       [](P p) {
         const at::Tensor input = p.variable({p.at("n")});
         return backward(at::relu(input), {input});
       }},
      {"add",
       [](P p) -> KernelCall {
         return [to = p.values({p.at("n")}), from = p.values({p.at("n")})]() mutable {
           to.add_(from);
         };
       }},
      {"linear_forward", [](P p) { return linear(p, Direction::forward); }},
      {"linear_backward_data", [](P p) { return linear(p, Direction::data); }},
      {"linear_backward_filter", [](P p) { return linear(p, Direction::filter); }},
      {"softmax_forward",
       [](P p) -> KernelCall {
         return [x = p.variable({p.at("b"), p.at("outputs")})] { at::log_softmax(x, 1); };
       }},
      {"softmax_backward",
       [](P p) {
         const at::Tensor input = p.variable({p.at("b"), p.at("outputs")});
         return backward(at::log_softmax(input, 1), {input});
       }},
      {"sgd_update", [](P p) { return update(p, "sgd", 0); }},
      {"momentum_update", [](P p) { return update(p, "sgd", kMomentum); }},
      {"adam_update", [](P p) { return update(p, "adam", 0); }},
      {"copy", [](P p) -> KernelCall {
         return [to = p.values({p.at("n")}), from = p.values({p.at("n")})]() mutable {
           to.copy_(from);
         };
       }}};
  return all;
}

}  // namespace

KernelCall make_kernel_call(const std::string& kernel, const KernelSize& size,
                            const std::string& precision, const Device& device) {
  const auto found = makers().find(kernel);
  if (found == makers().end()) {
    std::vector<std::string> known;
    for (const auto& [name, make] : makers()) known.push_back(name);
    throw base::UsageError(base::unknown_name("kernel", kernel, known));
  }
  return found->second(Workplace(size, precision, device));
}

namespace {

constexpr double kMostSets = 1000;

/// Returns a lower bound of the bytes of the inputs and outputs of a call. bytes_of_kernel() counts
/// each array twice, because a backward kernel also has the gradient of the array. A forward kernel
/// has half of these bytes.
double least_bytes_of(const std::string& kernel, const KernelSize& size,
                      const std::string& precision) {
  const auto& classes = kernel_classes();
  const auto found = std::find_if(classes.begin(), classes.end(),
                                  [&](const KernelClass& each) { return each.name == kernel; });
  const double bytes = bytes_of_kernel(found->shape, size) / 2;
  return precision == "bf16" ? bytes / 2 : bytes;
}

}  // namespace

std::size_t rotated_sets(const std::string& kernel, const KernelSize& size,
                         const std::string& precision, std::int64_t rotated_bytes) {
  const double wanted =
      std::ceil(static_cast<double>(rotated_bytes) / least_bytes_of(kernel, size, precision));
  return static_cast<std::size_t>(std::clamp(wanted, 1.0, kMostSets));
}

KernelCall rotating_call(const std::function<KernelCall()>& make, std::size_t sets) {
  std::vector<KernelCall> calls;
  while (calls.size() < sets) calls.push_back(make());
  return [calls = std::move(calls), next = std::size_t{0}]() mutable {
    calls[next]();
    next = (next + 1) % calls.size();
  };
}

}  // namespace dlscale::trainer
