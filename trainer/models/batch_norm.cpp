// SPDX-License-Identifier: Apache-2.0
// Batch normalisation over several ranks. The code uses LibTorch's kernels that normalise with
// given statistics, because these kernels exist for every device. In the backward pass, these
// kernels return the gradients for constant statistics. The statistics depend on the samples of all
// ranks. A slope and a shift for each channel therefore correct the gradients.
#include "trainer/models/batch_norm.hpp"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/nn/modules/batchnorm.h>

#include <array>
#include <tuple>

#include "trainer/kernels/cpu_kernels.hpp"
#include "trainer/kernels/fused_norm.hpp"
#include "trainer/kernels/gpu_kernels.hpp"

namespace dlscale::trainer {
namespace {

/// Statistics of each channel over the samples of all ranks, in the type of the parameters.
struct BatchStatistics {
  at::Tensor mean;
  at::Tensor variance;  ///< variance, divided by count
  at::Tensor count;     ///< number of values per channel, as one float64
};

/// **Collective.** Returns the statistics over the samples of all ranks. The ranks exchange sums in
/// float64. The variance is computed as E[x²] - E[x]², which would lose too many digits in smaller
/// types.
BatchStatistics statistics_over(StatisticsSum& ranks, const at::Tensor& input,
                                const at::Tensor& like) {
  const std::int64_t channels = input.size(1);
  const at::Tensor sums = at::zeros({2 * channels + 1}, like.options().dtype(at::kDouble));
  const at::Tensor first = sums.narrow(0, 0, channels);
  const at::Tensor second = sums.narrow(0, channels, channels);
  const at::Tensor count = sums[2 * channels];
  if (input.numel() > 0) {
    // This function returns its results in the type of the running statistics, which is the type of
    // the parameters.
    const auto [mean, variance] =
        at::batch_norm_update_stats(input, at::zeros_like(like), at::zeros_like(like), 1);
    count.fill_(static_cast<double>(input.numel() / channels));
    first.copy_(mean);
    second.copy_(variance).addcmul_(first, first).mul_(count);
    first.mul_(count);
  }
  ranks.sum(sums, StatisticsSum::Pass::forward);
  first.div_(count);
  second.div_(count).addcmul_(first, first, -1).clamp_min_(0);
  return {first.to(like.scalar_type()), second.to(like.scalar_type()), count.clone()};
}

class Normalise : public torch::autograd::Function<Normalise> {
 public:
  using Context = torch::autograd::AutogradContext;
  /// Number of arguments of apply(). backward() must return one gradient for each argument.
  static constexpr std::size_t kInputs = 6;

  struct Settings : torch::CustomClassHolder {
    Settings(double epsilon, StatisticsSum& ranks) : epsilon(epsilon), ranks(ranks) {}
    double epsilon;
    StatisticsSum& ranks;
  };

  static at::Tensor forward(Context* context, const at::Tensor& input, const at::Tensor& weight,
                            const at::Tensor& bias, const BatchStatistics& statistics,
                            double epsilon, StatisticsSum* ranks) {
    const auto& [mean, variance, count] = statistics;
    context->save_for_backward({input, weight, mean, variance, count});
    context->saved_data["settings"] =
        c10::IValue::make_capsule(c10::make_intrusive<Settings>(epsilon, *ranks));
    if (input.numel() == 0) return at::empty_like(input);
    return std::get<0>(at::native_batch_norm(input, weight, bias, mean, variance,
                                             /*training=*/false, /*momentum=*/0, epsilon));
  }

  /// **Collective.** Returns the gradients. With s = 1 / √(variance + ε) and x̂ = (x - mean) s, the
  /// gradient of the input x is dx = w s (dy - mean(dy) - x̂ mean(dy x̂)). Here, dy is the gradient
  /// of the output and w is the weight. The means cover the samples of all ranks.
  static torch::autograd::variable_list backward(Context* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &weight = saved[1], &mean = saved[2], &variance = saved[3], &count = saved[4];
    const auto settings =
        c10::static_intrusive_pointer_cast<Settings>(context->saved_data["settings"].toCapsule());
    const at::Tensor x = saved[0].to(weight.scalar_type());
    const at::Tensor dy = gradients[0].to(weight.scalar_type());
    auto [dx, dweight, dbias] = local_gradients(dy, x, weight, mean, variance, settings->epsilon);

    const at::Tensor means = at::cat({dweight, dbias});
    settings->ranks.sum(means, StatisticsSum::Pass::backward);
    means.div_(count);
    const std::int64_t channels = weight.numel();
    const at::Tensor scale = at::rsqrt(variance + settings->epsilon);
    const at::Tensor slope = weight * scale * scale * means.narrow(0, 0, channels);
    const at::Tensor shift = weight * scale * means.narrow(0, channels, channels) - slope * mean;
    const auto per_channel = [](const at::Tensor& each) { return each.view({1, -1, 1, 1}); };
    dx.addcmul_(x, per_channel(slope), -1).sub_(per_channel(shift));

    torch::autograd::variable_list result(kInputs);
    result[0] = dx.to(saved[0].scalar_type());
    result[1] = dweight;
    result[2] = dbias;
    return result;
  }

 private:
  /// Returns the gradients of input, weight and bias for the samples of this rank, with the mean
  /// and the variance treated as constants.
  static std::tuple<at::Tensor, at::Tensor, at::Tensor> local_gradients(
      const at::Tensor& dy, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& mean,
      const at::Tensor& variance, double epsilon) {
    if (x.numel() == 0) {
      return {at::zeros_like(x), at::zeros_like(weight), at::zeros_like(weight)};
    }
    return at::native_batch_norm_backward(dy, x, weight, mean, variance, {}, {},
                                          /*train=*/false, epsilon, {true, true, true});
  }
};

}  // namespace

BatchNorm2dImpl::BatchNorm2dImpl(std::int64_t channels, StatisticsSum* ranks)
    : torch::nn::BatchNorm2dImpl(torch::nn::BatchNormOptions(channels)), ranks_(ranks) {}

at::Tensor BatchNorm2dImpl::forward_then(const at::Tensor& input, const at::Tensor& added,
                                         bool relu) {
  if (ranks_ == nullptr && is_training()) {
    const NormParameters parameters{
        weight,       bias, running_mean, running_var, num_batches_tracked, *options.momentum(),
        options.eps()};
    if (can_norm_on_gpu(input, added, weight)) return gpu_norm(input, added, relu, parameters);
    if (uses_fast_cpu_kernels() && can_fuse_norm(input, added, weight)) {
      return fused_norm(input, added, relu, parameters);
    }
  }
  at::Tensor result = normalised(input);
  if (added.defined()) result.add_(added);
  return relu ? result.relu_() : result;
}

at::Tensor BatchNorm2dImpl::normalised(const at::Tensor& input) {
  if (ranks_ == nullptr || !is_training()) return torch::nn::BatchNorm2dImpl::forward(input);
  BatchStatistics statistics;
  {
    const at::NoGradGuard no_gradients;
    statistics = statistics_over(*ranks_, input.detach(), running_mean);
    const double momentum = *options.momentum();
    const at::Tensor unbiased =
        statistics.variance * (statistics.count / (statistics.count - 1)).to(running_var);
    running_mean.mul_(1 - momentum).add_(statistics.mean, momentum);
    running_var.mul_(1 - momentum).add_(unbiased, momentum);
    num_batches_tracked += 1;
  }
  return Normalise::apply(input, weight, bias, statistics, options.eps(), ranks_);
}

void BatchNorm2dImpl::to(torch::Device device, torch::Dtype dtype, bool non_blocking) {
  torch::nn::BatchNorm2dImpl::to(device, dtype, non_blocking);
  num_batches_tracked.set_data(num_batches_tracked.to(torch::kLong));
}

}  // namespace dlscale::trainer
