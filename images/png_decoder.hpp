// SPDX-License-Identifier: Apache-2.0
// Decodes PNG images with libpng, for use in images/*.cpp only.
#pragma once

#include <cstdint>
#include <span>

#include "images/picture.hpp"

namespace dlscale::images {

/// Decoder for bytes that begin like a PNG file. Its functions do the same as those of Decoder.
class PngDecoder {
 public:
  Size open(std::span<const std::uint8_t> bytes);
  PictureView decode(const Box& part);

 private:
  std::span<const std::uint8_t> bytes_;
  Picture pixels_;
};

}  // namespace dlscale::images
