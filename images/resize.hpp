// SPDX-License-Identifier: Apache-2.0
// Scaling a picture to another size, as torchvision's resize does.
#pragma once

#include <memory>

#include "images/picture.hpp"

namespace dlscale::images {

enum class Resample {
  antialiased,  ///< bilinear over all pixels that a new one covers: PIL's BILINEAR, antialias=True
  bilinear,     ///< from the nearest four pixels: antialias=False
};

/// Scales one picture after the other with memory that it keeps. One thread at a time.
///
/// A triangle filter, first along rows, then along columns, 8 bits between the two; of pixels
/// outside the picture nothing is taken. Weights have 14 to 15 bits, so that values differ from
/// those of torchvision 0.26, on Pillow's images or tensors of bytes, by at most 1.
class Resizer {
 public:
  Resizer();
  ~Resizer();
  Resizer(Resizer&&) noexcept;
  Resizer& operator=(Resizer&&) noexcept;

  /// `from` scaled to `to` pixels in memory of the resizer, until the next call. Where it has that
  /// size already it is given back as it is. Both sizes are at least 1 x 1.
  PictureView resize(PictureView from, Size to, Resample resample = Resample::antialiased) {
    return resize_part(from, to, whole(to), resample);
  }
  /// The pixels of `part` of that alone, within 1, at no more cost than theirs.
  PictureView resize_part(PictureView from, Size to, const Box& part,
                          Resample resample = Resample::antialiased);

 private:
  class Memory;
  std::unique_ptr<Memory> memory_;
};

/// The size of a picture of size `from` whose shorter side is to be `shorter`; the longer one is
/// cut to whole pixels, as by torchvision's Resize(shorter).
Size with_shorter_side(Size from, int shorter);

}  // namespace dlscale::images
