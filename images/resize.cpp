// SPDX-License-Identifier: Apache-2.0
#include "images/resize.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "images/kernels.hpp"

namespace dlscale::images {
namespace {

constexpr int kTapStep = 4;  ///< number of which Filter::taps is a multiple

/// Range of new pixels along one side of an image.
struct Stretch {
  int from_size;  ///< length of the old side in pixels
  int to_size;    ///< length of the new side in pixels
  int first;      ///< first new pixel to compute
  int count;
};

/// Calculator of the weights of old pixels for each new pixel.
struct Weigher {
  Stretch side;
  Resample resample;
  double scale = static_cast<double>(side.from_size) / side.to_size;
  /// Distance from the centre at which the weights of the triangle filter become 0, in old pixels.
  double reach = resample == Resample::antialiased ? std::max(scale, 1.0) : 1;

  /// Returns the maximum number of old pixels that contribute to one new pixel.
  int most() const { return static_cast<int>(std::ceil(2 * reach)); }

  /// Fills in the weights for a new pixel. The weights sum to 1. Returns the index of the first old
  /// pixel and the number of old pixels.
  std::pair<int, int> weigh(int pixel, double* weights) const {
    const double middle = (pixel + 0.5) * scale;
    return resample == Resample::antialiased ? weigh_covered(middle, weights)
                                             : weigh_nearest(middle - 0.5, weights);
  }

 private:
  /// Computes the weights of all covered pixels, as Pillow's precompute_coeffs (Resample.c) does.
  std::pair<int, int> weigh_covered(double middle, double* weights) const {
    const int first = std::max(0, static_cast<int>(middle - reach + 0.5));
    const int end = std::min(side.from_size, static_cast<int>(middle + reach + 0.5));
    const double slope = 1 / reach;
    double sum = 0;
    for (int x = first; x < end; ++x) {
      sum += weights[x - first] = std::max(0.0, 1 - std::abs((x - middle + 0.5) * slope));
    }
    const double share = 1 / sum;
    for (int k = 0; k < end - first; ++k) weights[k] *= share;
    return {first, end - first};
  }
  /// Computes the weights of the two nearest pixels, as PyTorch's interpolate(align_corners=False)
  /// does.
  std::pair<int, int> weigh_nearest(double place, double* weights) const {
    place = std::max(0.0, place);
    const int first = std::min(static_cast<int>(place), side.from_size - 1);
    const bool is_last = first + 1 == side.from_size;
    weights[1] = is_last ? 0 : place - first;
    weights[0] = 1 - weights[1];
    return {first, is_last ? 1 : 2};
  }
};

/// Returns the largest number of fraction bits for which the largest weight still fits into 16
/// bits, at most 22. Pillow-SIMD and PyTorch use the same number.
int bits_for(double largest) {
  constexpr int kMostBits = 22;
  int bits = 0;
  while (bits < kMostBits && 0.5 + largest * (1 << (bits + 1)) < (1 << 15)) ++bits;
  return bits;
}

/// Computes the weights of `filter` for the range `side`. Reuses the memory of `filter` and
/// `scratch`.
void make_filter(const Stretch& side, Resample resample, std::vector<double>& scratch,
                 Filter& filter) {
  const Weigher weigher{side, resample};
  filter.taps = (weigher.most() + kTapStep - 1) / kTapStep * kTapStep;
  const auto count = static_cast<std::size_t>(side.count);
  const auto taps = static_cast<std::size_t>(filter.taps);
  filter.first.resize(count);
  filter.count.resize(count);
  filter.weights.resize(count * taps);
  scratch.assign(count * taps, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    std::tie(filter.first[i], filter.count[i]) =
        weigher.weigh(side.first + static_cast<int>(i), &scratch[i * taps]);
  }
  filter.bits = bits_for(*std::ranges::max_element(scratch));
  const double one = 1 << filter.bits;
  for (std::size_t i = 0; i < scratch.size(); ++i) {
    filter.weights[i] = static_cast<std::int16_t>(scratch[i] * one + 0.5);
  }
}

/// Returns the number of bytes for a row, with room for the bytes that Kernels::along_rows writes
/// beyond the end of a row.
std::size_t padded(int pixels) {
  constexpr std::size_t kUnit = 32, kRoom = 4;
  const std::size_t bytes = std::size_t{kColours} * static_cast<std::size_t>(pixels);
  return (bytes + kRoom + kUnit - 1) / kUnit * kUnit;
}

/// Image with spare bytes at the end of each row.
class RoomyPicture {
 public:
  void reshape(int height, int width) {
    row_bytes_ = padded(width);
    const std::size_t bytes = row_bytes_ * static_cast<std::size_t>(height);
    if (bytes > capacity_) {
      pixels_ = std::make_unique_for_overwrite<std::uint8_t[]>(bytes);
      capacity_ = bytes;
    }
    size_ = {height, width};
  }
  std::uint8_t* row(int y) { return pixels_.get() + static_cast<std::size_t>(y) * row_bytes_; }
  PictureView view() const {
    return {pixels_.get(), size_.height, size_.width, static_cast<std::ptrdiff_t>(row_bytes_)};
  }

 private:
  std::unique_ptr<std::uint8_t[]> pixels_;
  std::size_t capacity_ = 0;
  std::size_t row_bytes_ = 0;
  Size size_;
};

}  // namespace

class Resizer::Memory {
 public:
  PictureView along_rows(PictureView from) {
    rows_.reshape(from.height, static_cast<int>(along.size()));
    const PictureView out = rows_.view();
    best_kernels().along_rows(from, along, rows_.row(0), out.row_bytes);
    return out;
  }
  PictureView down_columns(PictureView from) {
    columns_.reshape(static_cast<int>(down.size()), from.width);
    for (std::size_t i = 0; i < down.size(); ++i) {
      best_kernels().down_columns(from, down, i, std::ptrdiff_t{kColours} * from.width,
                                  columns_.row(static_cast<int>(i)));
    }
    return columns_.view();
  }

  Filter along, down;
  std::vector<double> weights;

 private:
  RoomyPicture rows_, columns_;
};

Resizer::Resizer() : memory_(std::make_unique<Memory>()) {}
Resizer::~Resizer() = default;
Resizer::Resizer(Resizer&&) noexcept = default;
Resizer& Resizer::operator=(Resizer&&) noexcept = default;

PictureView Resizer::resize_part(PictureView from, Size to, const Box& part, Resample resample) {
  Memory& memory = *memory_;
  const Size old = from.size();
  Box rows{part.top, 0, part.height, old.width};
  if (old.height != to.height) {
    Filter& down = memory.down;
    make_filter({old.height, to.height, part.top, part.height}, resample, memory.weights, down);
    // The filter along rows processes only the rows that the filter down the columns reads.
    const int first = down.first.front();
    rows = {first, 0, down.first.back() + down.count.back() - first, old.width};
    for (std::int32_t& place : down.first) place -= first;
  }
  PictureView picture = from.part(rows);
  if (old.width != to.width) {
    make_filter({old.width, to.width, part.left, part.width}, resample, memory.weights,
                memory.along);
    picture = memory.along_rows(picture);
  } else {
    picture = picture.part({0, part.left, picture.height, part.width});
  }
  return old.height == to.height ? picture : memory.down_columns(picture);
}

Size with_shorter_side(Size from, int shorter) {
  const auto longer = [&](int long_side, int short_side) {
    const std::int64_t length = std::int64_t{shorter} * long_side / short_side;
    return static_cast<int>(std::min<std::int64_t>(length, std::numeric_limits<int>::max()));
  };
  if (from.width <= from.height) return {longer(from.height, from.width), shorter};
  return {shorter, longer(from.width, from.height)};
}

}  // namespace dlscale::images
