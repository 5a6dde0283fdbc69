// SPDX-License-Identifier: Apache-2.0
// Private to images/*.cpp: decoding PNG by libpng.
#pragma once

#include <cstdint>
#include <span>

#include "images/picture.hpp"

namespace dlscale::images {

/// As Decoder, of bytes that begin as a PNG.
class PngDecoder {
 public:
  Size open(std::span<const std::uint8_t> bytes);
  PictureView decode(const Box& part);

 private:
  std::span<const std::uint8_t> bytes_;
  Picture pixels_;
};

}  // namespace dlscale::images
