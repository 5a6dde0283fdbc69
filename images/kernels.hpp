// SPDX-License-Identifier: Apache-2.0
// Declares the inner loops over pixels: a portable version and the fastest version for the
// processor. Only images/*.cpp use this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "images/normalise.hpp"
#include "images/picture.hpp"

namespace dlscale::images {

/// Filter that computes each new pixel along a row or a column from old pixels. New pixel i is the
/// sum of `weights[i * taps + k]` x old pixel `first[i] + k` over all k, divided by 2^bits. If
/// fewer than `taps` old pixels contribute, the last weights are 0 and the old pixels that belong
/// to these weights may not exist.
struct Filter {
  int taps = 0;  ///< number of weights for each new pixel, a multiple of 4
  int bits = 0;
  std::vector<std::int32_t> first;
  std::vector<std::int32_t> count;  ///< number of contributing old pixels for each new pixel
  std::vector<std::int16_t> weights;
  std::size_t size() const { return first.size(); }
};

/// Arguments of Kernels::normalise_row for one row of an image.
struct RowOfNumbers {
  const Normalisation& by;
  bool mirrored;
  float* out[kColours];  ///< address of the first output number of each colour
  /// Distance between the numbers of neighbouring pixels: 1 for planes, kColours for channels last.
  std::ptrdiff_t stride;
};

/// Inner loops for one type of processor.
struct Kernels {
  const char* name;
  /// Filters rows [0, from.height) along their length. Rows of `out` have kColours x filter.size()
  /// bytes, and room for 4 more bytes.
  void (*along_rows)(const PictureView& from, const Filter& filter, std::uint8_t* out,
                     std::ptrdiff_t out_row_bytes);
  /// Computes new row `i` with `bytes` bytes by applying the filter down the columns of `from`.
  void (*down_columns)(const PictureView& from, const Filter& filter, std::size_t i,
                       std::ptrdiff_t bytes, std::uint8_t* out);
  void (*normalise_row)(const std::uint8_t* row, int width, const RowOfNumbers& to);
};

const Kernels& portable_kernels();
/// Returns the fastest kernels that this processor can run. All kernels give the same bytes and
/// numbers.
const Kernels& best_kernels();

}  // namespace dlscale::images
