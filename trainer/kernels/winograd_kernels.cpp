// SPDX-License-Identifier: Apache-2.0
#include "trainer/kernels/winograd_kernels.hpp"

#include <algorithm>
#include <cstring>
#include <numbers>
#include <utility>

#include "trainer/kernels/each_processor.hpp"

#define DLSCALE_INLINE [[gnu::always_inline]] inline

namespace dlscale::trainer {
namespace {

constexpr int kSide = 6;    // number of points along a side of a tile
constexpr int kLanes = 16;  // number of channels per vector; a vector fills one cache line
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));

// The interpolation points of the polynomials are 0, ±√½, ±√2 and ∞. These points cause smaller
// rounding errors than the more common points 0, ±1, ±2 and ∞. Barabasz et al., 2020
// (arXiv:1803.10986) describe the effect of the points on rounding errors.
constexpr float kA = 1 / std::numbers::sqrt2_v<float>;
constexpr float kB = std::numbers::sqrt2_v<float>;

/// Matrix Bᵀ, which transforms inputs. Each row belongs to one interpolation point. The row holds
/// the coefficients of the polynomial Π (x - p) over all other points p, by ascending powers of x.
struct OfInput {
  static constexpr float rows[kSide][6] = {{1, 0, -2.5F, 0, 1, 0},    {0, -kB, -2, kA, 1, 0},
                                           {0, kB, -2, -kA, 1, 0},    {0, -kA, -0.5F, kB, 1, 0},
                                           {0, kA, -0.5F, -kB, 1, 0}, {0, 1, 0, -2.5F, 0, 1}};
};

/// Matrix G, which transforms filters. Each row belongs to one interpolation point. The row holds
/// the powers of the point, divided by the product of the differences between the point and the
/// other points.
struct OfFilter {
  static constexpr float rows[kSide][3] = {{1, 0, 0},
                                           {-1 / 1.5F, -kA / 1.5F, -0.5F / 1.5F},
                                           {-1 / 1.5F, kA / 1.5F, -0.5F / 1.5F},
                                           {1 / 6.0F, kB / 6, 2 / 6.0F},
                                           {1 / 6.0F, -kB / 6, 2 / 6.0F},
                                           {0, 0, 1}};
};

/// Matrix A, which transforms outputs. Each row belongs to one interpolation point and holds the
/// powers of the point.
struct OfOutput {
  static constexpr float rows[kSide][4] = {
      {1, 0, 0, 0},       {1, kA, 0.5F, kA / 2}, {1, -kA, 0.5F, -kA / 2},
      {1, kB, 2, 2 * kB}, {1, -kB, 2, -2 * kB},  {0, 0, 0, 1}};
};

template <class L>
constexpr int kPatchSide = sizeof(L::rows[0]) / sizeof(float);

DLSCALE_INLINE Lanes load(const float* from) {
  Lanes value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

DLSCALE_INLINE void store(Lanes value, float* to) {
  std::memcpy(to, &value, sizeof(value));
}

/// Returns sum + f x value. The factor f is the element in row kRow and column kColumn of L, or of
/// Lᵀ if kTransposed is true. Skips the multiplication when f is 0.
template <class L, bool kTransposed, int kRow, int kColumn>
DLSCALE_INLINE Lanes plus(Lanes sum, Lanes value) {
  constexpr float kFactor = kTransposed ? L::rows[kColumn][kRow] : L::rows[kRow][kColumn];
  if constexpr (kFactor == 0) return sum;
  return sum + kFactor * value;
}

/// Returns the element in row kRow of the product of L and the vector `in`. Uses Lᵀ instead of L if
/// kTransposed is true.
template <class L, bool kTransposed, int kRow, int... kColumns>
DLSCALE_INLINE Lanes row_times(const Lanes* in, int stride,
                               std::integer_sequence<int, kColumns...>) {
  Lanes sum{};
  ((sum = plus<L, kTransposed, kRow, kColumns>(sum, in[kColumns * stride])), ...);
  return sum;
}

template <class L, bool kTransposed, int... kRows>
DLSCALE_INLINE void times(const Lanes* in, Lanes* out, int stride,
                          std::integer_sequence<int, kRows...>) {
  using Columns = std::make_integer_sequence<int, kTransposed ? kSide : kPatchSide<L>>;
  ((out[kRows * stride] = row_times<L, kTransposed, kRows>(in, stride, Columns())), ...);
}

/// Computes the matrix product L `in` Lᵀ, or Lᵀ `in` L if kTransposed is true, and stores the
/// product in `out`. `in` and `out` are square matrices that are stored row by row.
template <class L, bool kTransposed>
DLSCALE_INLINE void from_both_sides(const Lanes* in, Lanes* out) {
  constexpr int kOut = kTransposed ? kPatchSide<L> : kSide;
  constexpr int kIn = kTransposed ? kSide : kPatchSide<L>;
  using Rows = std::make_integer_sequence<int, kOut>;
  Lanes half[kOut * kIn];
  for (int column = 0; column < kIn; ++column)
    times<L, kTransposed>(in + column, half + column, kIn, Rows());
  for (int row = 0; row < kOut; ++row)
    times<L, kTransposed>(half + row * kIn, out + row * kOut, 1, Rows());
}

/// Position of the values of a tile in the image of the tile.
struct Patch {
  std::int64_t start;  ///< offset of the tile's first value, which may lie before the image
  /// Ranges of the rows and columns within the image.
  std::int64_t first_row, last_row, first_column, last_column;
};

DLSCALE_INLINE Patch patch_of(const TiledImages& images, std::int64_t tile, std::int64_t side) {
  const std::int64_t column = tile % images.tile_columns;
  const std::int64_t row = tile / images.tile_columns % images.tile_rows;
  const std::int64_t image = tile / images.tile_columns / images.tile_rows;
  const std::int64_t y = row * kTileSide - images.margin, x = column * kTileSide - images.margin;
  return {((image * images.height + y) * images.width + x) * images.channels,
          std::max<std::int64_t>(0, -y), std::min(side, images.height - y),
          std::max<std::int64_t>(0, -x), std::min(side, images.width - x)};
}

template <class L>
DLSCALE_INLINE void gather_tiles(const TiledImages& images, const float* values,
                                 const TileBlock& block, const TilePoints<float>& points) {
  constexpr int kPatch = kPatchSide<L>;
  const std::int64_t plane = points.count * images.channels;
  for (std::int64_t tile = block.first_tile; tile < block.last_tile; ++tile) {
    const Patch patch = patch_of(images, tile, kPatch);
    Lanes in[kPatch * kPatch] = {};  // values outside the image keep the value 0
    Lanes out[kTilePoints];
    for (std::int64_t c = block.first_channel; c < block.last_channel; c += kLanes) {
      for (std::int64_t y = patch.first_row; y < patch.last_row; ++y) {
        for (std::int64_t x = patch.first_column; x < patch.last_column; ++x) {
          in[y * kPatch + x] =
              load(values + (patch.start + (y * images.width + x) * images.channels + c));
        }
      }
      from_both_sides<L, false>(in, out);
      float* const to = points.values + (tile - points.first_tile) * images.channels + c;
      for (int p = 0; p < kTilePoints; ++p) store(out[p], to + p * plane);
    }
  }
}

template <class L, bool kAdds>
DLSCALE_INLINE void scatter_tiles(const TiledImages& images, const TilePoints<const float>& points,
                                  const float* bias, const TileBlock& block, float* values) {
  constexpr int kPatch = kPatchSide<L>;
  const std::int64_t plane = points.count * images.channels;
  for (std::int64_t tile = block.first_tile; tile < block.last_tile; ++tile) {
    const Patch patch = patch_of(images, tile, kPatch);
    Lanes in[kTilePoints];
    Lanes out[kPatch * kPatch];
    for (std::int64_t c = block.first_channel; c < block.last_channel; c += kLanes) {
      const float* const from = points.values + (tile - points.first_tile) * images.channels + c;
      for (int p = 0; p < kTilePoints; ++p) in[p] = load(from + p * plane);
      from_both_sides<L, true>(in, out);
      const Lanes start = bias == nullptr ? Lanes{} : load(bias + c);
      for (std::int64_t y = patch.first_row; y < patch.last_row; ++y) {
        for (std::int64_t x = patch.first_column; x < patch.last_column; ++x) {
          float* const to = values + (patch.start + (y * images.width + x) * images.channels + c);
          store(out[y * kPatch + x] + (kAdds ? load(to) : start), to);
        }
      }
    }
  }
}

}  // namespace

DLSCALE_FOR_EACH_PROCESSOR void gather(const TiledImages& images, const float* values,
                                       const TileBlock& block, const TilePoints<float>& points) {
  switch (images.kind) {
    case TileKind::input:
      return gather_tiles<OfInput>(images, values, block, points);
    case TileKind::filter:
      return gather_tiles<OfFilter>(images, values, block, points);
    case TileKind::output:
      return gather_tiles<OfOutput>(images, values, block, points);
  }
}

DLSCALE_FOR_EACH_PROCESSOR void scatter(const TiledImages& images,
                                        const TilePoints<const float>& points, const float* bias,
                                        const TileBlock& block, float* values) {
  switch (images.kind) {
    case TileKind::input:
      return scatter_tiles<OfInput, true>(images, points, bias, block, values);
    case TileKind::filter:
      return scatter_tiles<OfFilter, false>(images, points, bias, block, values);
    case TileKind::output:
      return scatter_tiles<OfOutput, false>(images, points, bias, block, values);
  }
}

}  // namespace dlscale::trainer
