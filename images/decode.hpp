// SPDX-License-Identifier: Apache-2.0
// Decodes JPEG and PNG images, as a whole or in part.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/error.hpp"
#include "images/picture.hpp"

namespace dlscale::images {

/// Error for bytes that are not a complete image. `what()` describes the problem. Callers that know
/// the name of the file put the name before this text.
class BrokenPicture : public base::Error {
 public:
  explicit BrokenPicture(const std::string& problem) : Error(problem, 1) {}
};

/// Limits on the longest side and the number of pixels of an image. An image whose header exceeds a
/// limit is rejected as broken, so that no file makes the decoder allocate more memory than these
/// limits require.
inline constexpr int kLongestSide = 65500;                ///< limit of libjpeg
inline constexpr std::int64_t kMostPixels = 178'956'970;  ///< limit of Pillow

/// Decoder that decodes one image after another and reuses its memory. Only one thread may use a
/// decoder at a time. The first bytes of an image determine its format, independent of the file
/// name. Grey values, palettes and 16-bit values become 8-bit RGB. Transparency is dropped. CMYK
/// and YCCK inks are converted in the same way as in Pillow's convert("RGB"). EXIF orientations are
/// ignored.
class Decoder {
 public:
  Decoder();
  ~Decoder();
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;

  /// Reads the header of an image and returns the image size. `bytes` must stay valid until
  /// decode() returns. Throws BrokenPicture.
  Size open(std::span<const std::uint8_t> bytes);

  /// Returns the pixels of `part` of the opened image. The pixels are the same as if the whole
  /// image were decoded. Callers may call decode() once for each open(). The pixels stay in the
  /// memory of the decoder until the next open(). The decoder reads a JPEG only as far as `part`
  /// requires, so damage in the rows below `part` is not detected. Throws BrokenPicture.
  PictureView decode(const Box& part);

 private:
  class Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace dlscale::images
