// SPDX-License-Identifier: Apache-2.0
#include "trainer/kernels/gpu_kernels.hpp"

#include <ATen/record_function.h>
#include <torch/csrc/autograd/custom_function.h>

#include <atomic>
#include <optional>

#include "trainer/kernels/cuda/launches.hpp"

namespace dlscale::trainer {
namespace {

using Context = torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Atomic, because ranks that are threads of one process set this variable at the same time.
std::atomic<const kernel::Launches*> kernels = nullptr;

const kernel::Launches& launches() {
  return *kernels;
}

bool is_known(at::ScalarType type) {
  return type == at::kFloat || type == at::kHalf || type == at::kBFloat16;
}

bool serves(const at::Tensor& tensor) {
  const kernel::Launches* const set = kernels;
  return set != nullptr && set->serves(tensor) && is_known(tensor.scalar_type());
}

/// Calls `body` with a null pointer to the C++ type that corresponds to `type`. The pointer only
/// selects the template instance.
template <class Body>
void with_value_type(at::ScalarType type, const Body& body) {
  if (type == at::kHalf) return body(static_cast<Float16*>(nullptr));
  if (type == at::kBFloat16) return body(static_cast<BFloat16*>(nullptr));
  return body(static_cast<float*>(nullptr));
}

template <class T>
T* values_of(const at::Tensor& tensor) {
  return tensor.defined() ? static_cast<T*>(tensor.data_ptr()) : nullptr;
}

bool has_channels_last(const at::Tensor& images) {
  return images.dim() == 4 && images.is_contiguous(at::MemoryFormat::ChannelsLast);
}

int channels_of(const at::Tensor& images) {
  return static_cast<int>(images.size(1));
}

std::int64_t rows_of(const at::Tensor& images) {
  return images.numel() / images.size(1);
}

/// Number of rows in the tensor that the forward pass stores for the backward pass. The rows hold
/// the mean, the deviation, the scale and the shift of each channel.
constexpr int kNumbers = 4;

kernel::ChannelNumbers numbers_in(const at::Tensor& numbers) {
  auto* const first = numbers.data_ptr<float>();
  const std::int64_t channels = numbers.size(1);
  return {first, first + channels, first + 2 * channels, first + 3 * channels};
}

class GpuNorm : public torch::autograd::Function<GpuNorm> {
 public:
  static at::Tensor forward(Context* context, const at::Tensor& images, const at::Tensor& weight,
                            const at::Tensor& bias, const std::optional<at::Tensor>& added,
                            bool relu, const NormParameters* parameters) {
    RECORD_FUNCTION("dlscale::batch_norm", std::vector<c10::IValue>());
    const at::Tensor result = at::empty_like(images);
    const int channels = channels_of(images);
    const std::int64_t rows = rows_of(images);
    const auto fp32 = weight.options();
    const at::Tensor numbers = at::empty({kNumbers, channels}, fp32);
    with_value_type(images.scalar_type(), [&]<class T>(T*) {
      const kernel::RowGrid grid = kernel::grid<T>(launches(), rows, channels);
      const at::Tensor partials = at::empty({grid.chunks, 2, channels}, fp32);
      launches().run(
          kernel::MomentsCall<T>{grid, values_of<T>(images), values_of<float>(partials)});
      launches().run(kernel::FinishMomentsCall<T>{
          .rows = rows,
          .channels = channels,
          .chunks = grid.chunks,
          .partials = values_of<float>(partials),
          .x = values_of<T>(images),
          .weight = values_of<float>(weight),
          .bias = values_of<float>(bias),
          .running_mean = values_of<float>(parameters->running_mean),
          .running_variance = values_of<float>(parameters->running_variance),
          .batches = values_of<std::int64_t>(parameters->batches),
          .momentum = parameters->momentum,
          .epsilon = parameters->epsilon,
          .numbers = numbers_in(numbers)});
      const kernel::ChannelNumbers each = numbers_in(numbers);
      launches().run(kernel::NormaliseCall<T>{grid, values_of<T>(images), each.scale, each.shift,
                                              added ? values_of<T>(*added) : nullptr, relu,
                                              values_of<T>(result)});
    });
    const bool needs_output = relu && added.has_value();
    context->save_for_backward({images, numbers, needs_output ? result : at::Tensor()});
    context->saved_data["added"] = added.has_value();
    context->saved_data["relu"] = relu;
    return result;
  }

  static variable_list backward(Context* context, variable_list gradients) {
    RECORD_FUNCTION("dlscale::batch_norm_backward", std::vector<c10::IValue>());
    const auto saved = context->get_saved_variables();
    const at::Tensor &images = saved[0], &numbers = saved[1], &result = saved[2];
    const bool has_added = context->saved_data["added"].toBool();
    const bool relu = context->saved_data["relu"].toBool();
    const at::Tensor dy =
        gradients[0].to(images.scalar_type()).contiguous(at::MemoryFormat::ChannelsLast);
    // The gradient of `added` is g, the gradient of the input of the ReLU. Without a ReLU, g equals
    // dy, so that no separate tensor is needed.
    const bool writes_g = has_added && relu;
    const at::Tensor g = writes_g ? at::empty_like(images) : at::Tensor();
    const at::Tensor dx = at::empty_like(images);
    const int channels = channels_of(images);
    const std::int64_t rows = rows_of(images);
    const at::Tensor sums = at::empty({kNumbers, channels}, numbers.options());
    const at::Tensor dweight = sums[0], dbias = sums[1];
    with_value_type(images.scalar_type(), [&]<class T>(T*) {
      using kernel::Mask;
      const kernel::RowGrid grid = kernel::grid<T>(launches(), rows, channels);
      const at::Tensor partials = at::empty({grid.chunks, 2, channels}, numbers.options());
      const kernel::ChannelNumbers each = numbers_in(numbers);
      const Mask mask = writes_g ? Mask::from_output : relu ? Mask::from_input : Mask::none;
      launches().run(kernel::GradientSumsCall<T>{
          grid, mask, values_of<T>(images), values_of<T>(result), values_of<T>(dy), values_of<T>(g),
          each, values_of<float>(partials)});
      const auto [of_weight, of_bias, slope, offset] = numbers_in(sums);
      launches().run(kernel::FinishGradientsCall<T>{rows, channels, grid.chunks,
                                                    values_of<float>(partials), each, of_weight,
                                                    of_bias, slope, offset});
      launches().run(kernel::NormGradientCall<T>{
          grid, writes_g ? Mask::none : mask, values_of<T>(images), values_of<T>(writes_g ? g : dy),
          each, slope, offset, values_of<T>(dx)});
    });
    return {dx,           dweight,     dbias, has_added ? (writes_g ? g : dy) : at::Tensor(),
            at::Tensor(), at::Tensor()};
  }
};

class GpuMaxPool : public torch::autograd::Function<GpuMaxPool> {
 public:
  static at::Tensor forward(Context* context, const at::Tensor& images,
                            const kernel::PoolShape* shape) {
    RECORD_FUNCTION("dlscale::max_pool", std::vector<c10::IValue>());
    const at::Tensor result =
        at::empty({shape->samples, shape->channels, shape->out_height, shape->out_width},
                  images.options(), at::MemoryFormat::ChannelsLast);
    const at::Tensor places = at::empty_like(result, result.options().dtype(at::kByte));
    with_value_type(images.scalar_type(), [&]<class T>(T*) {
      launches().run(kernel::PoolCall<T>{
          kernel::grid<T>(launches(), rows_of(result), shape->channels), *shape,
          values_of<T>(images), values_of<T>(result), values_of<std::uint8_t>(places)});
    });
    context->save_for_backward({places});
    context->saved_data["shape"] =
        std::vector<std::int64_t>{images.size(0), images.size(1), images.size(2), images.size(3),
                                  shape->window,  shape->stride,  shape->padding};
    return result;
  }

  static variable_list backward(Context* context, variable_list gradients) {
    RECORD_FUNCTION("dlscale::max_pool_backward", std::vector<c10::IValue>());
    const at::Tensor places = context->get_saved_variables()[0];
    const auto numbers = context->saved_data["shape"].toIntVector();
    const auto number = [&](int i) {
      return static_cast<int>(numbers[static_cast<std::size_t>(i)]);
    };
    const kernel::PoolShape shape{.samples = numbers[0],
                                  .channels = number(1),
                                  .height = number(2),
                                  .width = number(3),
                                  .out_height = static_cast<int>(places.size(2)),
                                  .out_width = static_cast<int>(places.size(3)),
                                  .window = number(4),
                                  .stride = number(5),
                                  .padding = number(6)};
    const at::Tensor dy = gradients[0].contiguous(at::MemoryFormat::ChannelsLast);
    const at::Tensor dx = at::empty({shape.samples, shape.channels, shape.height, shape.width},
                                    dy.options(), at::MemoryFormat::ChannelsLast);
    with_value_type(dy.scalar_type(), [&]<class T>(T*) {
      launches().run(kernel::PoolGradientCall<T>{
          kernel::grid<T>(launches(), rows_of(dx), shape.channels), shape, values_of<T>(dy),
          values_of<std::uint8_t>(places), values_of<T>(dx)});
    });
    return {dx, at::Tensor()};
  }
};

class GpuCrossEntropy : public torch::autograd::Function<GpuCrossEntropy> {
 public:
  static at::Tensor forward(Context* context, const at::Tensor& scores, const at::Tensor& target,
                            double smoothing) {
    RECORD_FUNCTION("dlscale::cross_entropy", std::vector<c10::IValue>());
    const std::int64_t samples = scores.size(0);
    const at::Tensor losses = at::empty({2, samples}, scores.options().dtype(at::kFloat));
    with_value_type(scores.scalar_type(), [&]<class T>(T*) {
      launches().run(kernel::LossCall<T>{samples, static_cast<int>(scores.size(1)),
                                         values_of<T>(scores), values_of<std::int64_t>(target),
                                         static_cast<float>(smoothing), values_of<float>(losses),
                                         values_of<float>(losses) + samples});
    });
    context->save_for_backward({scores, target, losses});
    context->saved_data["smoothing"] = smoothing;
    return losses[0].mean();
  }

  static variable_list backward(Context* context, variable_list gradients) {
    RECORD_FUNCTION("dlscale::cross_entropy_backward", std::vector<c10::IValue>());
    const auto saved = context->get_saved_variables();
    const at::Tensor &scores = saved[0], &target = saved[1], &losses = saved[2];
    const at::Tensor gradient = gradients[0].to(at::kFloat);
    const at::Tensor dscores = at::empty_like(scores);
    with_value_type(scores.scalar_type(), [&]<class T>(T*) {
      launches().run(kernel::LossGradientCall<T>{
          scores.size(0), static_cast<int>(scores.size(1)), values_of<T>(scores),
          values_of<std::int64_t>(target),
          static_cast<float>(context->saved_data["smoothing"].toDouble()),
          values_of<float>(losses) + scores.size(0), values_of<float>(gradient),
          values_of<T>(dscores)});
    });
    return {dscores, at::Tensor(), at::Tensor()};
  }
};

}  // namespace

void use_gpu_kernels(const kernel::Launches* set) {
  kernels = set;
}

bool uses_gpu_kernels() {
  return kernels != nullptr;
}

bool can_norm_on_gpu(const at::Tensor& images, const at::Tensor& added, const at::Tensor& weight) {
  if (!serves(images) || weight.scalar_type() != at::kFloat || !has_channels_last(images)) {
    return false;
  }
  if (images.numel() <= images.size(1)) return false;
  return !added.defined() ||
         (has_channels_last(added) && added.scalar_type() == images.scalar_type() &&
          added.sizes() == images.sizes());
}

at::Tensor gpu_norm(const at::Tensor& images, const at::Tensor& added, bool relu,
                    const NormParameters& parameters) {
  return GpuNorm::apply(images, parameters.weight, parameters.bias,
                        added.defined() ? std::optional(added) : std::nullopt, relu, &parameters);
}

at::Tensor gpu_max_pool(const at::Tensor& images, int window, int stride, int padding,
                        bool covers_rest) {
  constexpr int kLargestWindow = 16;  // positions are stored in one byte
  if (!serves(images) || !has_channels_last(images) || images.numel() == 0 ||
      window > kLargestWindow) {
    return {};
  }
  const auto out = [&](std::int64_t size) {
    const std::int64_t span = size + 2 * padding - window;
    std::int64_t count = (covers_rest ? span + stride - 1 : span) / stride + 1;
    if (covers_rest && (count - 1) * stride >= size + padding) --count;
    return static_cast<int>(count);
  };
  const kernel::PoolShape shape{.samples = images.size(0),
                                .channels = channels_of(images),
                                .height = static_cast<int>(images.size(2)),
                                .width = static_cast<int>(images.size(3)),
                                .out_height = out(images.size(2)),
                                .out_width = out(images.size(3)),
                                .window = window,
                                .stride = stride,
                                .padding = padding};
  return GpuMaxPool::apply(images, &shape);
}

at::Tensor gpu_cross_entropy(const at::Tensor& scores, const at::Tensor& target, double smoothing) {
  if (!serves(scores) || scores.dim() != 2 || !scores.is_contiguous() || scores.numel() == 0 ||
      target.scalar_type() != at::kLong || !target.is_contiguous() || target.dim() != 1) {
    return {};
  }
  return GpuCrossEntropy::apply(scores, target, smoothing);
}

}  // namespace dlscale::trainer
