// SPDX-License-Identifier: Apache-2.0
#include "trainer/kernels/winograd.hpp"

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "trainer/kernels/matrix_products.hpp"
#include "trainer/kernels/winograd_kernels.hpp"

namespace dlscale::trainer {
namespace {

/// Half-open range [first, last) of tile numbers or of channel numbers. Tiles are numbered over all
/// images of the batch.
struct Range {
  std::int64_t first, last;
};

constexpr std::int64_t kFilterSide = 3;
constexpr std::int64_t kReach = kFilterSide - 1;
constexpr std::int64_t kLeastTilesOfBlock = 64;
constexpr std::int64_t kLeastTilesOfThread = 8;
constexpr std::int64_t kLeastChannels = 32;
/// Minimum number of output pixels of a batch. With fewer pixels, the transform of the filters
/// takes longer than the time that the algorithm saves.
constexpr std::int64_t kLeastResults = 320;
/// Minimum average number of output pixels per tile. A tile covers 16 pixels, but in small images
/// many of these pixels lie outside the image and are computed in vain.
constexpr std::int64_t kLeastResultsOfTile = 10;

std::int64_t tiles_along(std::int64_t outputs) {
  return (outputs + kTileSide - 1) / kTileSide;
}

/// Sizes of one convolution and of its inputs, filters and outputs.
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
  std::int64_t results() const { return samples * output.height * output.width; }
  /// Divides the tiles into blocks that are processed together, and calls `body` with each block.
  /// Each block reads all filters again. A block therefore has at least as many tiles as there are
  /// channels, so that reading the filters does not take more memory accesses than reading the
  /// images.
  template <class Body>
  void for_blocks(const Body& body) const {
    const std::int64_t step = std::max({kLeastTilesOfBlock, input.channels, output.channels});
    for (std::int64_t first = 0; first < tiles(); first += step)
      body(Range{first, std::min(first + step, tiles())});
  }
};

/// Divides `tiles` into ranges and calls `body` with each range and all channels, in parallel.
template <class Body>
void for_tiles(Range tiles, std::int64_t channels, const Body& body) {
  at::parallel_for(tiles.first, tiles.last, kLeastTilesOfThread,
                   [&](std::int64_t first, std::int64_t last) {
                     body(TileBlock{first, last, 0, channels});
                   });
}

/// Divides the channels into ranges and calls `body` with all tiles and each range of channels, in
/// parallel. Overlapping tiles require this division: threads that share a tile's values could
/// otherwise add to the same value at the same time.
template <class Body>
void for_channels(Range tiles, std::int64_t channels, const Body& body) {
  at::parallel_for(0, channels / kTileChannels, 1, [&](std::int64_t first, std::int64_t last) {
    body(TileBlock{tiles.first, tiles.last, first * kTileChannels, last * kTileChannels});
  });
}

at::Tensor points_of(const TiledImages& images, const at::Tensor& values, Range tiles) {
  const std::int64_t count = tiles.last - tiles.first;
  const at::Tensor points = at::empty({kTilePoints, count, images.channels}, values.options());
  for_tiles(tiles, images.channels, [&](const TileBlock& block) {
    gather(images, values.const_data_ptr<float>(), block,
           {points.mutable_data_ptr<float>(), tiles.first, count});
  });
  return points;
}

void put(const TiledImages& images, const at::Tensor& points, const at::Tensor& bias, Range tiles,
         const at::Tensor& values) {
  const float* const start = bias.defined() ? bias.const_data_ptr<float>() : nullptr;
  const auto body = [&](const TileBlock& block) {
    scatter(images, {points.const_data_ptr<float>(), tiles.first, tiles.last - tiles.first}, start,
            block, values.mutable_data_ptr<float>());
  };
  if (images.kind == TileKind::input) return for_channels(tiles, images.channels, body);
  for_tiles(tiles, images.channels, body);
}

/// Returns the transformed filters (their points, see winograd_kernels.hpp). `weight` must be
/// stored with channels last.
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
    put(sizes.output, matrix_products(points_of(sizes.input, images, tiles), filters), bias, tiles,
        result);
  });
  return result;
}

struct Wanted {
  bool images, weight;
};
struct Gradients {
  at::Tensor images, weight;  ///< undefined if not requested
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
    if (wanted.images) put(sizes.input, matrix_products(errors, filters), {}, tiles, result.images);
    if (!wanted.weight) return;
    const at::Tensor values = points_of(sizes.input, images, tiles);
    if (filter_sums.defined()) {
      add_matrix_products(filter_sums, errors.transpose(1, 2), values);
    } else {
      filter_sums = matrix_products(errors.transpose(1, 2), values);
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
    RECORD_FUNCTION("dlscale::convolution", std::vector<c10::IValue>({images, weight}));
    context->save_for_backward({images, weight});
    context->saved_data["padding"] = padding.vec();
    context->saved_data["has_bias"] = bias.has_value();
    at::Tensor result = result_of(images, weight, bias.value_or(at::Tensor()), padding);
    if (guard.needsOutputs()) guard.setOutputs(std::vector<c10::IValue>{result});
    return result;
  }

  static torch::autograd::variable_list backward(Context* context,
                                                 torch::autograd::variable_list gradients) {
    RECORD_FUNCTION("dlscale::convolution_backward", std::vector<c10::IValue>());
    TORCH_CHECK(!at::GradMode::is_enabled(),
                "this convolution does not support second-order gradients");
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

bool suits_winograd(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                    at::IntArrayRef padding) {
  const auto is_single = [](const at::Tensor& tensor) {
    return tensor.is_cpu() && tensor.scalar_type() == at::kFloat;
  };
  if (!is_single(input) || !is_single(weight) || at::autocast::is_autocast_enabled(at::kCPU) ||
      !input.is_contiguous(at::MemoryFormat::ChannelsLast)) {
    return false;
  }
  if (input.dim() != 4 || input.size(1) != weight.size(1) || weight.size(2) != kFilterSide ||
      weight.size(3) != kFilterSide || padding[0] != padding[1]) {
    return false;
  }
  if (bias.defined() &&
      (!is_single(bias) || !bias.is_contiguous() || bias.numel() != weight.size(0))) {
    return false;
  }
  if (weight.size(0) % kTileChannels != 0 || weight.size(1) % kTileChannels != 0 ||
      std::min(weight.size(0), weight.size(1)) < kLeastChannels) {
    return false;
  }
  const Sizes sizes(input, weight, padding);
  return sizes.output.height > 0 && sizes.output.width > 0 && sizes.results() >= kLeastResults &&
         sizes.results() >= kLeastResultsOfTile * sizes.tiles();
}

at::Tensor winograd_convolve(const at::Tensor& input, const at::Tensor& weight,
                             const at::Tensor& bias, at::IntArrayRef padding) {
  return WinogradConvolution::apply(input, weight,
                                    bias.defined() ? std::optional(bias) : std::nullopt, padding);
}

}  // namespace dlscale::trainer
