// SPDX-License-Identifier: Apache-2.0
// Linear maps of the minimal filtering algorithm F(4x4, 3x3), which computes a 3x3 convolution of
// stride 1 with as little as a quarter of its multiplications.
//
// The algorithm is described in Lavin, Gray: Fast Algorithms for Convolutional Neural Networks,
// 2016 (arXiv:1509.09308). This file does not use LibTorch.
//
// An image is divided into tiles of 4x4 results. A tile reads 6x6 values of the input, 3x3 values
// of a filter and 4x4 values of the output. gather() transforms each of these patches v into 36
// values, called points, as L v Lᵀ. The matrix L depends on the kind of the patch. scatter() is the
// transpose, Lᵀ p L. At each point, a convolution is a matrix product:
//   output y: y = scatter(M), with M = V Uᵀ, V = gather(x), U = gather(w)
//   gradients from dy, with dM = gather(dy): dx = scatter(dM U), dw = scatter(dMᵀ V)
#pragma once

#include <cstdint>

namespace dlscale::trainer {

constexpr std::int64_t kTileSide = 4;  ///< number of results along a side of a tile
constexpr std::int64_t kTilePoints = 36;
constexpr std::int64_t kTileChannels = 16;  ///< number that divides every channel count

enum class TileKind { input, filter, output };

/// Images with channels last, and the tiles that cover them. Filters are treated as images with one
/// tile.
struct TiledImages {
  TileKind kind;
  std::int64_t channels;
  std::int64_t height, width;
  std::int64_t tile_rows, tile_columns;  ///< number of tiles in an image
  std::int64_t margin = 0;  ///< rows and columns of zeros before an image, the input's padding
};

/// Points of several tiles: values[kTilePoints][count][channels of the images].
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

/// Computes the points of the block from the values of the images.
void gather(const TiledImages& images, const float* values, const TileBlock& block,
            const TilePoints<float>& points);

/// Computes values of the images from the points of the block. Tiles of an input overlap, so their
/// results are added to `values`. Other results overwrite `values`, and include the `bias` of each
/// channel if there is one.
void scatter(const TiledImages& images, const TilePoints<const float>& points, const float* bias,
             const TileBlock& block, float* values);

}  // namespace dlscale::trainer
