// SPDX-License-Identifier: Apache-2.0
// Implements the inner loops over pixels in plain C++.
#include <algorithm>

#include "images/kernels.hpp"

namespace dlscale::images {
namespace {

std::uint8_t to_byte(std::int32_t sum, int bits) {
  return static_cast<std::uint8_t>(std::clamp((sum + (1 << bits >> 1)) >> bits, 0, 255));
}

void along_rows(const PictureView& from, const Filter& filter, std::uint8_t* out,
                std::ptrdiff_t out_row_bytes) {
  for (int y = 0; y < from.height; ++y) {
    std::uint8_t* pixel = out + y * out_row_bytes;
    for (std::size_t i = 0; i < filter.size(); ++i, pixel += kColours) {
      const std::uint8_t* in = from.row(y) + std::ptrdiff_t{kColours} * filter.first[i];
      const std::int16_t* weights = &filter.weights[i * static_cast<std::size_t>(filter.taps)];
      std::int32_t sums[kColours] = {};
      for (int k = 0; k < filter.count[i]; ++k) {
        for (int c = 0; c < kColours; ++c) sums[c] += weights[k] * *in++;
      }
      for (int c = 0; c < kColours; ++c) pixel[c] = to_byte(sums[c], filter.bits);
    }
  }
}

void down_columns(const PictureView& from, const Filter& filter, std::size_t i,
                  std::ptrdiff_t bytes, std::uint8_t* out) {
  const std::int16_t* weights = &filter.weights[i * static_cast<std::size_t>(filter.taps)];
  const std::uint8_t* first = from.row(filter.first[i]);
  for (std::ptrdiff_t x = 0; x < bytes; ++x) {
    std::int32_t sum = 0;
    for (int k = 0; k < filter.count[i]; ++k) sum += weights[k] * first[k * from.row_bytes + x];
    out[x] = to_byte(sum, filter.bits);
  }
}

void normalise_row(const std::uint8_t* row, int width, const RowOfNumbers& to) {
  for (int c = 0; c < kColours; ++c) {
    const float scale = to.by.scale[static_cast<std::size_t>(c)];
    const float shift = to.by.shift[static_cast<std::size_t>(c)];
    for (int x = 0; x < width; ++x) {
      const int from = to.mirrored ? width - 1 - x : x;
      to.out[c][x * to.stride] = static_cast<float>(row[from * kColours + c]) * scale - shift;
    }
  }
}

}  // namespace

const Kernels& portable_kernels() {
  static constexpr Kernels kKernels{"portable", along_rows, down_columns, normalise_row};
  return kKernels;
}

}  // namespace dlscale::images
