// SPDX-License-Identifier: Apache-2.0
// One image of a record file, as it lies there.
#pragma once

#include <cstdint>
#include <span>

namespace dlscale::images {

/// How the bytes of a record are to be read; numbers are those in the file.
enum class Encoding : std::uint32_t {
  jpeg = 1,
  png = 2,
  raw = 3,  ///< height x width x (red, green, blue)
};

struct Record {
  std::span<const std::uint8_t> bytes;
  Encoding encoding = Encoding::jpeg;
  int width = 0;  ///< pixels, at least 1
  int height = 0;
  std::uint16_t label = 0;  ///< below the file's number of classes
};

}  // namespace dlscale::images
