// SPDX-License-Identifier: Apache-2.0
// The linear maps of minimal filtering F(4x4, 3x3), which computes a 3x3 convolution of stride 1
// with down to a quarter of its multiplications: Lavin, Gray: Fast Algorithms for Convolutional
// Neural Networks, 2016 (arXiv:1509.09308). Nothing of LibTorch.
// An image is cut into tiles of 4x4 results. What a tile needs of the input (6x6 values), of a
// filter (3x3) and of the output (4x4) becomes 36 values each, its points: gather() does that with
// the matrix L of its kind, as L v Lᵀ, and scatter() is its transpose, Lᵀ p L. At each point a
// convolution is a product of matrices:
//   output  y = scatter(M),   M = V Uᵀ,   V = gather(x), U = gather(w)
//   and of its gradient dy, with dM = gather(dy),   dx = scatter(dM U),   dw = scatter(dMᵀ V)
#pragma once

#include <cstdint>

namespace dlscale::trainer {

constexpr std::int64_t kTileSide = 4;  ///< of results
constexpr std::int64_t kTilePoints = 36;
constexpr std::int64_t kTileChannels = 16;  ///< channels are a multiple of it

enum class TileKind { input, filter, output };

/// Images with their channels last, and the tiles that cover them. Filters are images too: of one
/// tile.
struct TiledImages {
  TileKind kind;
  std::int64_t channels;
  std::int64_t height, width;
  std::int64_t tile_rows, tile_columns;  ///< of an image
  std::int64_t margin = 0;  ///< rows and columns of zeros before an image: padding of an input
};

/// What lies at the points of some tiles: values[kTilePoints][count][channels of the images].
template <class T>
struct TilePoints {
  T* values;
  std::int64_t first_tile;  ///< of all images' tiles
  std::int64_t count;
};

/// Some channels of some tiles, half open; channels are whole multiples of kTileChannels.
struct TileBlock {
  std::int64_t first_tile, last_tile;
  std::int64_t first_channel, last_channel;
};

/// The points of the block.
void gather(const TiledImages& images, const float* values, const TileBlock& block,
            const TilePoints<float>& points);

/// Values of the images from those points. Tiles of an input overlap: they are added to its values.
/// Others are written, with `bias` of each channel if there is one.
void scatter(const TiledImages& images, const TilePoints<const float>& points, const float* bias,
             const TileBlock& block, float* values);

}  // namespace dlscale::trainer
