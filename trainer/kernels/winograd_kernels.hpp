// SPDX-License-Identifier: Apache-2.0
// Linear maps of the minimal filtering algorithm F(4x4, 3x3), which computes a 3x3 convolution of
// stride 1 with as little as a quarter of the multiplications of a direct convolution.
//
// The algorithm is described in Lavin, Gray: Fast Algorithms for Convolutional Neural Networks,
// 2016 (arXiv:1509.09308). This file does not use LibTorch.
//
// The output of a convolution is divided into tiles of 4x4 results. A tile involves three patches
// of values: 6x6 values of the input, 3x3 values of a filter and 4x4 values of the output. gather()
// transforms a patch v into 36 values p = L v Lᵀ, called points. The matrix L depends on whether
// the patch belongs to an input, a filter or an output. scatter() computes the transposed
// transform, Lᵀ p L. For each of the 36 points, the convolution of all tiles is one matrix product:
//   output y: y = scatter(M), with M = V Uᵀ, V = gather(x), U = gather(w)
//   gradients from dy, with dM = gather(dy): dx = scatter(dM U), dw = scatter(dMᵀ V)
#pragma once

#include <cstdint>

namespace dlscale::trainer {

constexpr std::int64_t kTileSide = 4;  ///< number of results along a side of a tile
constexpr std::int64_t kTilePoints = 36;
constexpr std::int64_t kTileChannels = 16;  ///< every number of channels is a multiple of this

enum class TileKind { input, filter, output };

/// Sizes of images that are stored with channels last, and of the tiles that cover the images. A
/// filter is treated as an image with one tile.
struct TiledImages {
  TileKind kind;
  std::int64_t channels;
  std::int64_t height, width;
  std::int64_t tile_rows, tile_columns;  ///< number of tiles in an image
  std::int64_t margin = 0;  ///< number of zero rows and columns before an image (padding)
};

/// Points of `count` successive tiles. `values` is an array of the shape kTilePoints x count x
/// channels.
template <class T>
struct TilePoints {
  T* values;
  std::int64_t first_tile;  ///< index among the tiles of all images
  std::int64_t count;
};

/// Half-open ranges of tiles and channels. Channel ranges consist of whole multiples of
/// kTileChannels.
struct TileBlock {
  std::int64_t first_tile, last_tile;
  std::int64_t first_channel, last_channel;
};

/// Computes the points of the tiles and channels in `block` from the values of the images.
void gather(const TiledImages& images, const float* values, const TileBlock& block,
            const TilePoints<float>& points);

/// Computes values of the images from the points of the tiles and channels in `block`. Tiles of an
/// input overlap, so the results of these tiles are added to `values`. Results of filters and
/// outputs overwrite `values`. If `bias` is not null, the results that overwrite `values` include
/// the bias of each channel.
void scatter(const TiledImages& images, const TilePoints<const float>& points, const float* bias,
             const TileBlock& block, float* values);

}  // namespace dlscale::trainer
