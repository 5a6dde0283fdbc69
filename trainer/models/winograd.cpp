// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/winograd.hpp"

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "trainer/models/winograd_kernels.hpp"

namespace dlscale::trainer {
namespace {

/// Of all images' tiles, or of channels; half open.
struct Range {
  std::int64_t first, last;
};

constexpr std::int64_t kFilterSide = 3;
constexpr std::int64_t kReach = kFilterSide - 1;
/// Worked on at once by a thread: their points stay in its cache. The gain hardly depends on it.
constexpr std::int64_t kTilesOfBlock = 64;
/// With fewer, making the points of the filters takes longer than what is saved.
constexpr std::int64_t kLeastTiles = 32;
constexpr std::int64_t kLeastChannels = 32;

std::int64_t tiles_along(std::int64_t outputs) {
  return (outputs + kTileSide - 1) / kTileSide;
}

/// The sizes of one convolution, and its three kinds of images.
struct Sizes {
  TiledImages input, filter, output;
  std::int64_t samples;

  Sizes(const at::Tensor& images, const at::Tensor& weight, at::IntArrayRef padding)
      : samples(images.size(0)) {
    const std::int64_t height = images.size(2) + 2 * padding[0] - kReach;
    const std::int64_t width = images.size(3) + 2 * padding[1] - kReach;
    const std::int64_t rows = tiles_along(height), columns = tiles_along(width);
    input = {TileKind::input, images.size(1), images.size(2), images.size(3), rows,
             columns,         padding[0]};
    output = {TileKind::output, weight.size(0), height, width, rows, columns};
    filter = {TileKind::filter, weight.size(1), kFilterSide, kFilterSide, 1, 1};
  }
  std::int64_t tiles() const { return samples * input.tile_rows * input.tile_columns; }
  /// Calls `body` with tiles that are worked on at once.
  template <class Body>
  void for_blocks(const Body& body) const {
    const std::int64_t step = kTilesOfBlock * at::get_num_threads();
    for (std::int64_t first = 0; first < tiles(); first += step)
      body(Range{first, std::min(first + step, tiles())});
  }
};

/// Each thread has channels of its own, so that no two add to the same value.
template <class Body>
void for_channels(std::int64_t channels, const Body& body) {
  at::parallel_for(0, channels / kTileChannels, 1, [&](std::int64_t first, std::int64_t last) {
    body(Range{first * kTileChannels, last * kTileChannels});
  });
}

at::Tensor points_of(const TiledImages& images, const at::Tensor& values, Range tiles) {
  const at::Tensor points =
      at::empty({kTilePoints, tiles.last - tiles.first, images.channels}, values.options());
  for_channels(images.channels, [&](Range channels) {
    gather(images, values.const_data_ptr<float>(),
           {tiles.first, tiles.last, channels.first, channels.last},
           points.mutable_data_ptr<float>());
  });
  return points;
}

void put(const TiledImages& images, const at::Tensor& points, const at::Tensor& bias, Range tiles,
         const at::Tensor& values) {
  const float* const start = bias.defined() ? bias.const_data_ptr<float>() : nullptr;
  for_channels(images.channels, [&](Range channels) {
    scatter(images, points.const_data_ptr<float>(), start,
            {tiles.first, tiles.last, channels.first, channels.last},
            values.mutable_data_ptr<float>());
  });
}

/// weight: its channels last.
at::Tensor filter_points(const Sizes& sizes, const at::Tensor& weight) {
  return points_of(sizes.filter, weight, {0, sizes.output.channels});
}

at::Tensor channels_last(const at::Tensor& tensor) {
  return tensor.contiguous(at::MemoryFormat::ChannelsLast);
}

at::Tensor result_of(const at::Tensor& images, const at::Tensor& weight, const at::Tensor& bias,
                     at::IntArrayRef padding) {
  const Sizes sizes(images, weight, padding);
  const at::Tensor filters = filter_points(sizes, channels_last(weight)).transpose(1, 2);
  const at::Tensor result =
      at::empty({sizes.samples, sizes.output.channels, sizes.output.height, sizes.output.width},
                images.options(), at::MemoryFormat::ChannelsLast);
  sizes.for_blocks([&](Range tiles) {
    put(sizes.output, at::bmm(points_of(sizes.input, images, tiles), filters), bias, tiles, result);
  });
  return result;
}

struct Wanted {
  bool images, weight;
};
struct Gradients {
  at::Tensor images, weight;  ///< undefined where they are not wanted
};

Gradients gradients_of(const at::Tensor& images, const at::Tensor& weight, const at::Tensor& dy,
                       at::IntArrayRef padding, Wanted wanted) {
  const Sizes sizes(images, weight, padding);
  Gradients result;
  at::Tensor filters, filter_sums;
  if (wanted.images) {
    result.images = at::zeros_like(images);
    filters = filter_points(sizes, channels_last(weight));
  }
  sizes.for_blocks([&](Range tiles) {
    const at::Tensor errors = points_of(sizes.output, dy, tiles);
    if (wanted.images) put(sizes.input, at::bmm(errors, filters), {}, tiles, result.images);
    if (!wanted.weight) return;
    const at::Tensor values = points_of(sizes.input, images, tiles);
    if (filter_sums.defined()) {
      filter_sums.baddbmm_(errors.transpose(1, 2), values);
    } else {
      filter_sums = at::bmm(errors.transpose(1, 2), values);
    }
  });
  if (wanted.weight) {
    result.weight = at::empty(weight.sizes(), weight.options(), at::MemoryFormat::ChannelsLast);
    put(sizes.filter, filter_sums, {}, {0, sizes.output.channels}, result.weight);
  }
  return result;
}

class WinogradConvolution : public torch::autograd::Function<WinogradConvolution> {
 public:
  using Context = torch::autograd::AutogradContext;

  static at::Tensor forward(Context* context, const at::Tensor& images, const at::Tensor& weight,
                            const std::optional<at::Tensor>& bias, at::IntArrayRef padding) {
    RECORD_FUNCTION("dlscale::convolution", std::vector<c10::IValue>());
    context->save_for_backward({images, weight});
    context->saved_data["padding"] = padding.vec();
    context->saved_data["has_bias"] = bias.has_value();
    return result_of(images, weight, bias.value_or(at::Tensor()), padding);
  }

  static torch::autograd::variable_list backward(Context* context,
                                                 torch::autograd::variable_list gradients) {
    RECORD_FUNCTION("dlscale::convolution_backward", std::vector<c10::IValue>());
    const auto saved = context->get_saved_variables();
    const at::Tensor dy = channels_last(gradients[0]);
    const Gradients found =
        gradients_of(saved[0], saved[1], dy, context->saved_data["padding"].toIntVector(),
                     {context->needs_input_grad(0), context->needs_input_grad(1)});
    const bool has_bias = context->saved_data["has_bias"].toBool() && context->needs_input_grad(2);
    return {found.images, found.weight, has_bias ? dy.sum({0, 2, 3}) : at::Tensor(), at::Tensor()};
  }
};

}  // namespace

bool suits_winograd(const at::Tensor& input, const at::Tensor& weight, at::IntArrayRef padding) {
  if (!input.is_cpu() || input.scalar_type() != at::kFloat || weight.scalar_type() != at::kFloat ||
      at::autocast::is_autocast_enabled(at::kCPU)) {
    return false;
  }
  if (weight.size(2) != kFilterSide || weight.size(3) != kFilterSide || padding[0] != padding[1] ||
      weight.size(0) % kTileChannels != 0 || weight.size(1) % kTileChannels != 0 ||
      std::min(weight.size(0), weight.size(1)) < kLeastChannels) {
    return false;
  }
  const Sizes sizes(input, weight, padding);
  return sizes.output.height > 0 && sizes.output.width > 0 && sizes.tiles() >= kLeastTiles &&
         input.is_contiguous(at::MemoryFormat::ChannelsLast);
}

at::Tensor winograd_convolve(const at::Tensor& input, const at::Tensor& weight,
                             const at::Tensor& bias, at::IntArrayRef padding) {
  return WinogradConvolution::apply(input, weight,
                                    bias.defined() ? std::optional(bias) : std::nullopt, padding);
}

}  // namespace dlscale::trainer
