// SPDX-License-Identifier: Apache-2.0
// Decoding JPEG and PNG, whole or a part of the picture.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/error.hpp"
#include "images/picture.hpp"

namespace dlscale::images {

/// Bytes that are no picture, or only the beginning of one. `what()` says what is wrong with them;
/// who knows where they come from puts the file's name before it.
class BrokenPicture : public base::Error {
 public:
  explicit BrokenPicture(const std::string& problem) : Error(problem, 1) {}
};

/// The longest side and the most pixels that are taken for a picture's; what says to have more is
/// broken. So memory is bounded whatever a file says.
inline constexpr int kLongestSide = 65500;                ///< as libjpeg's
inline constexpr std::int64_t kMostPixels = 178'956'970;  ///< as Pillow's

/// Decodes one picture after the other, with memory that it keeps. One thread at a time. By what
/// the bytes begin with, whatever a file's name. Greys, palettes and 16 bits become 8-bit colours,
/// transparency is dropped, inks (CMYK, YCCK) what Pillow's convert("RGB") makes of them. Turns
/// that EXIF asks for are left to who shows pictures: ignored.
class Decoder {
 public:
  Decoder();
  ~Decoder();
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;

  /// Reads as far as the picture's size. `bytes` must stay until decode(). Throws BrokenPicture.
  Size open(std::span<const std::uint8_t> bytes);

  /// The pixels of `part` of the picture that was opened, once; they lie in the decoder's memory
  /// until the next open(). Of a JPEG no more is decoded than the part needs: rows below it stay
  /// unread, so that damage there goes unnoticed. The pixels are those of the whole picture.
  /// Throws BrokenPicture.
  PictureView decode(const Box& part);

 private:
  class Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace dlscale::images
