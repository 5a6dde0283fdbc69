// SPDX-License-Identifier: Apache-2.0
// Private to images/*.cpp: the inner loops over pixels, for any processor and for this one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "images/normalise.hpp"
#include "images/picture.hpp"

namespace dlscale::images {

/// Of each new pixel along a row or a column: the old ones that it is made of. New pixel i is the
/// sum of `weights[i * taps + k]` x old pixel `first[i] + k` over all k, divided by 2^bits. Where
/// fewer than `taps` old ones count the last weights are 0, and there may be no such pixels.
struct Filter {
  int taps = 0;  ///< a multiple of 4
  int bits = 0;
  std::vector<std::int32_t> first;
  std::vector<std::int32_t> count;  ///< weights that count
  std::vector<std::int16_t> weights;
  std::size_t size() const { return first.size(); }
};

/// What normalise() needs of a row.
struct RowOfNumbers {
  const Normalisation& by;
  bool mirrored;
  float* out[kColours];   ///< the first number of each colour
  std::ptrdiff_t stride;  ///< from one pixel's number to the next one's: 1, or kColours
};

struct Kernels {
  const char* name;
  /// Filters rows [0, from.height) along their length; rows of `out` have kColours x
  /// filter.size() bytes, and room for 4 more.
  void (*along_rows)(const PictureView& from, const Filter& filter, std::uint8_t* out,
                     std::ptrdiff_t out_row_bytes);
  /// One new row of `bytes` bytes: the i-th of the filter down the columns of `from`.
  void (*down_columns)(const PictureView& from, const Filter& filter, std::size_t i,
                       std::ptrdiff_t bytes, std::uint8_t* out);
  void (*normalise_row)(const std::uint8_t* row, int width, const RowOfNumbers& to);
};

const Kernels& portable_kernels();
/// The fastest that this processor can run. They give the same bytes and numbers.
const Kernels& best_kernels();

}  // namespace dlscale::images
