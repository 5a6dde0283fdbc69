// SPDX-License-Identifier: Apache-2.0
// Decodes JPEG images with libjpeg, for use in images/*.cpp only.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "images/picture.hpp"

namespace dlscale::images {

/// Decoder for bytes that begin like a JPEG file. Its functions do the same as those of Decoder.
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
