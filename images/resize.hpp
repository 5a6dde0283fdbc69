// SPDX-License-Identifier: Apache-2.0
// Scales an image to another size, as torchvision's resize does.
#pragma once

#include <memory>

#include "images/picture.hpp"

namespace dlscale::images {

enum class Resample {
  antialiased,  ///< bilinear filter over all covered pixels, as in PIL's BILINEAR
  bilinear,     ///< bilinear interpolation of the nearest four pixels
};

/// Resizer that resizes one image after another and reuses its memory. Only one thread may use a
/// resizer at a time.
///
/// The resizer applies a triangle filter, first along rows, then along columns. The values between
/// the two steps have 8 bits. Pixels outside the image do not contribute. Weights have 14 to 15
/// bits. The results therefore differ by at most 1 from the results of torchvision 0.26 for Pillow
/// images or byte tensors.
class Resizer {
 public:
  Resizer();
  ~Resizer();
  Resizer(Resizer&&) noexcept;
  Resizer& operator=(Resizer&&) noexcept;

  /// Returns `from` scaled to the size `to`. The pixels stay in the memory of the resizer until the
  /// next call. Returns `from` itself if it already has the size `to`. Both sizes must be at least
  /// 1 x 1.
  PictureView resize(PictureView from, Size to, Resample resample = Resample::antialiased) {
    return resize_part(from, to, whole(to), resample);
  }
  /// Returns only the pixels of `part` of the image that resize() returns, and computes no other
  /// pixels. Values differ by at most 1 from the values of resize().
  PictureView resize_part(PictureView from, Size to, const Box& part,
                          Resample resample = Resample::antialiased);

 private:
  class Memory;
  std::unique_ptr<Memory> memory_;
};

/// Returns the size of an image whose shorter side is scaled from `from` to `shorter` pixels. The
/// longer side is rounded down to whole pixels, as in torchvision's Resize(shorter).
Size with_shorter_side(Size from, int shorter);

}  // namespace dlscale::images
