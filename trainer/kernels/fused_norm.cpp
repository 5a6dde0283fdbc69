// SPDX-License-Identifier: Apache-2.0
#include "trainer/kernels/fused_norm.hpp"

#include <ATen/Parallel.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "trainer/kernels/norm_kernels.hpp"

namespace dlscale::trainer {
namespace {

/// Number of row ranges for which sums are computed separately. The partial sums are then added in
/// a fixed order. The result therefore does not depend on the number of threads.
constexpr std::int64_t kParts = 16;
constexpr std::int64_t kLeastRows = 64;  ///< minimum number of rows per thread

struct Size {
  std::int64_t channels;
  std::int64_t rows;
};

Size size_of(const at::Tensor& images) {
  return {images.size(1), images.numel() / images.size(1)};
}

/// Divides the rows into ranges and calls `body` with each range, in parallel.
template <class Body>
void for_rows(std::int64_t rows, const Body& body) {
  at::parallel_for(0, rows, kLeastRows, [&](std::int64_t first, std::int64_t last) {
    body(Rows{first, last});
  });
}

/// Returns two sums over all rows for each channel. `add` computes both sums for a range of rows
/// and adds them to the memory that it receives.
template <class Add>
std::vector<double> sums_over(Size size, const Add& add) {
  const auto width = 2 * static_cast<std::size_t>(size.channels);
  std::vector<double> parts(width * kParts);
  at::parallel_for(0, kParts, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t part = first; part < last; ++part) {
      add(Rows{size.rows * part / kParts, size.rows * (part + 1) / kParts},
          parts.data() + width * static_cast<std::size_t>(part));
    }
  });
  for (std::size_t i = width; i < parts.size(); ++i) parts[i % width] += parts[i];
  parts.resize(width);
  return parts;
}

/// Calls `body` with a null pointer to the C++ type that corresponds to `type`. The pointer only
/// selects the template instance.
template <class Body>
void with_type(at::ScalarType type, const Body& body) {
  if (type == at::kDouble) return body(static_cast<double*>(nullptr));
  if (type == at::kBFloat16) return body(static_cast<BFloat16*>(nullptr));
  return body(static_cast<float*>(nullptr));
}

template <class T>
T* data_of(const at::Tensor& tensor) {
  return tensor.defined() ? static_cast<T*>(tensor.data_ptr()) : nullptr;
}

/// Returns `values`, which has one number per channel, as a tensor with the type of `like`.
at::Tensor per_channel(const std::vector<double>& values, const at::Tensor& like) {
  return at::tensor(values, at::kDouble).to(like.scalar_type());
}

struct Statistics {
  std::vector<double> mean;
  std::vector<double> variance;  ///< biased variance
};

/// Returns the mean and the variance of each channel. Before summation, the first value of the
/// channel is subtracted from each value. Without this subtraction, the difference between the mean
/// square and the squared mean would lose its precision when the values are far from 0.
template <class T>
Statistics statistics_of(const T* x, Size size) {
  const auto channels = static_cast<std::size_t>(size.channels);
  std::vector<NormMath<T>> pivot(channels);
  for (std::size_t c = 0; c < channels; ++c) pivot[c] = static_cast<NormMath<T>>(x[c]);
  const auto sums = sums_over(size, [&](Rows rows, double* into) {
    add_moments(x, pivot.data(), size.channels, rows, into);
  });
  Statistics result{std::vector<double>(channels), std::vector<double>(channels)};
  const auto count = static_cast<double>(size.rows);
  for (std::size_t c = 0; c < channels; ++c) {
    const double mean = sums[c] / count;
    result.mean[c] = static_cast<double>(pivot[c]) + mean;
    result.variance[c] = std::max(0.0, sums[channels + c] / count - mean * mean);
  }
  return result;
}

void move_running(const NormParameters& parameters, const Statistics& batch, Size size) {
  const auto count = static_cast<double>(size.rows);
  const double keep = 1 - parameters.momentum;
  parameters.running_mean.mul_(keep).add_(per_channel(batch.mean, parameters.running_mean),
                                          parameters.momentum);
  parameters.running_variance.mul_(keep).add_(
      per_channel(batch.variance, parameters.running_variance),
      parameters.momentum * count / (count - 1));
}

class FusedNorm : public torch::autograd::Function<FusedNorm> {
 public:
  using Context = torch::autograd::AutogradContext;

  static at::Tensor forward(Context* context, const at::Tensor& images, const at::Tensor& weight,
                            const at::Tensor& bias, const std::optional<at::Tensor>& added,
                            bool relu, const NormParameters* parameters) {
    RECORD_FUNCTION("dlscale::batch_norm", std::vector<c10::IValue>());
    const at::Tensor result = at::empty_like(images);
    const Size size = size_of(images);
    at::Tensor mean, deviation;  // deviation is 1 / √(variance + ε)
    with_type(images.scalar_type(), [&]<class T>(T*) {
      const Statistics batch = statistics_of(data_of<const T>(images), size);
      move_running(*parameters, batch, size);
      parameters->batches.add_(1);
      mean = per_channel(batch.mean, weight);
      deviation = at::tensor(batch.variance, at::kDouble)
                      .add_(parameters->epsilon)
                      .rsqrt_()
                      .to(weight.scalar_type());
      const at::Tensor scale = weight.detach() * deviation;
      const at::Tensor shift = bias.detach() - mean * scale;
      using A = NormMath<T>;
      const NormForward<T> call{data_of<const T>(images),
                                data_of<const A>(scale),
                                data_of<const A>(shift),
                                added ? data_of<const T>(*added) : nullptr,
                                relu,
                                data_of<T>(result)};
      for_rows(size.rows, [&](Rows rows) { normalise(call, size.channels, rows); });
    });
    context->save_for_backward({images, weight, mean, deviation, relu ? result : at::Tensor()});
    context->saved_data["added"] = added.has_value();
    return result;
  }

  /// Computes the gradients. g is the gradient of the input of the ReLU, w is the weight, s = 1 /
  /// √(variance + ε), and x̂ = (x - mean) s. Then:
  ///   dx = w s (g - mean(g) - x̂ mean(g x̂)).
  static torch::autograd::variable_list backward(Context* context,
                                                 torch::autograd::variable_list gradients) {
    RECORD_FUNCTION("dlscale::batch_norm_backward", std::vector<c10::IValue>());
    const auto saved = context->get_saved_variables();
    const at::Tensor &images = saved[0], &weight = saved[1], &mean = saved[2],
                     &deviation = saved[3], &result = saved[4];
    const at::Tensor dy = gradients[0].contiguous(at::MemoryFormat::ChannelsLast);
    const bool has_added = context->saved_data["added"].toBool();
    // The gradient of `added` is g, the gradient of the input of the ReLU. Without a ReLU, g equals
    // dy, so that no separate tensor is needed.
    const bool writes_g = has_added && result.defined();
    const at::Tensor g = writes_g ? at::empty_like(images) : at::Tensor();
    const at::Tensor dx = at::empty_like(images);
    const Size size = size_of(images);
    at::Tensor dweight, dbias;
    with_type(images.scalar_type(), [&]<class T>(T*) {
      using A = NormMath<T>;
      const NormGradient<T> from{data_of<const T>(images), data_of<const T>(result),
                                 data_of<const T>(dy), data_of<T>(g)};
      const auto sums = sums_over(size, [&](Rows rows, double* into) {
        add_gradient_sums(from, data_of<const A>(mean), size.channels, rows, into);
      });
      const at::Tensor both = per_channel(sums, weight).view({2, size.channels});
      dbias = both[0];
      dweight = both[1] * deviation;
      const at::Tensor scale = weight.detach() * deviation;
      const auto count = static_cast<double>(size.rows);
      const at::Tensor slope = scale * deviation * dweight / -count;
      const at::Tensor shift = scale * dbias / -count - slope * mean;
      const NormGradient<T> masked{from.x, nullptr, data_of<const T>(g)};
      const NormBackward<T> call{writes_g ? masked : from, data_of<const A>(scale),
                                 data_of<const A>(slope), data_of<const A>(shift), data_of<T>(dx)};
      for_rows(size.rows, [&](Rows rows) { normalise_backward(call, size.channels, rows); });
    });
    return {dx,           dweight,     dbias, has_added ? (writes_g ? g : dy) : at::Tensor(),
            at::Tensor(), at::Tensor()};
  }
};

bool lies_channels_last(const at::Tensor& images) {
  return images.is_cpu() && images.dim() == 4 &&
         images.is_contiguous(at::MemoryFormat::ChannelsLast);
}

}  // namespace

bool can_fuse_norm(const at::Tensor& images, const at::Tensor& added, const at::Tensor& weight) {
  const at::ScalarType type = images.scalar_type();
  const bool known = type == at::kFloat || type == at::kDouble || type == at::kBFloat16;
  const at::ScalarType of_parameters = type == at::kDouble ? at::kDouble : at::kFloat;
  if (!known || weight.scalar_type() != of_parameters || !lies_channels_last(images)) return false;
  if (images.numel() <= images.size(1)) return false;
  return !added.defined() || (lies_channels_last(added) && added.scalar_type() == type &&
                              added.sizes() == images.sizes());
}

at::Tensor fused_norm(const at::Tensor& images, const at::Tensor& added, bool relu,
                      const NormParameters& parameters) {
  return FusedNorm::apply(images, parameters.weight, parameters.bias,
                          added.defined() ? std::optional(added) : std::nullopt, relu, &parameters);
}

}  // namespace dlscale::trainer
