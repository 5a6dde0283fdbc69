// SPDX-License-Identifier: Apache-2.0
#include "images/crop.hpp"

#include <algorithm>
#include <cmath>

namespace dlscale::images {
namespace {

constexpr int kTries = 10;

/// Rounds to the nearest integer. Halves are rounded to the even neighbour, as Python's round()
/// does.
int rounded(double value) {
  return static_cast<int>(std::nearbyint(value));
}

/// Returns a uniform random integer from 0 to `most`.
int below_or_at(int most, const Uniform& uniform) {
  return std::min(most, static_cast<int>(uniform() * (most + 1.0)));
}

Box in_the_middle(Size picture, Size part) {
  return {(picture.height - part.height) / 2, (picture.width - part.width) / 2, part.height,
          part.width};
}

/// Returns the largest centred part of an image whose ratio of width to height is within the
/// bounds.
Box largest(Size picture, const CropBounds& bounds) {
  const double ratio = static_cast<double>(picture.width) / picture.height;
  Size part = picture;
  if (ratio < bounds.ratio_from) {
    part.height = rounded(picture.width / bounds.ratio_from);
  } else if (ratio > bounds.ratio_to) {
    part.width = rounded(picture.height * bounds.ratio_to);
  }
  part.height = std::clamp(part.height, 1, picture.height);
  part.width = std::clamp(part.width, 1, picture.width);
  return in_the_middle(picture, part);
}

}  // namespace

Box random_part(Size picture, const CropBounds& bounds, const Uniform& uniform) {
  const double area = static_cast<double>(picture.height) * picture.width;
  const double log_from = std::log(bounds.ratio_from), log_to = std::log(bounds.ratio_to);
  for (int i = 0; i < kTries; ++i) {
    const double scale = bounds.scale_from + (bounds.scale_to - bounds.scale_from) * uniform();
    const double ratio = std::exp(log_from + (log_to - log_from) * uniform());
    const int width = rounded(std::sqrt(area * scale * ratio));
    const int height = rounded(std::sqrt(area * scale / ratio));
    if (width < 1 || width > picture.width || height < 1 || height > picture.height) continue;
    const int top = below_or_at(picture.height - height, uniform);
    const int left = below_or_at(picture.width - width, uniform);
    return {top, left, height, width};
  }
  return largest(picture, bounds);
}

Box middle_part(Size picture, int side) {
  return {rounded((picture.height - side) / 2.0), rounded((picture.width - side) / 2.0), side,
          side};
}

}  // namespace dlscale::images
