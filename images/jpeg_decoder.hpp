// SPDX-License-Identifier: Apache-2.0
// Private to images/*.cpp: decoding JPEG by libjpeg.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "images/picture.hpp"

namespace dlscale::images {

/// As Decoder, of bytes that begin as a JPEG.
class JpegDecoder {
 public:
  JpegDecoder();
  ~JpegDecoder();
  Size open(std::span<const std::uint8_t> bytes);
  PictureView decode(const Box& part);

 private:
  class Session;
  PictureView inks_to_colours(const Box& part);

  std::unique_ptr<Session> session_;
  Picture pixels_;
  std::unique_ptr<std::uint8_t[]> ink_row_;
};

}  // namespace dlscale::images
