// SPDX-License-Identifier: Apache-2.0
#include "images/checksum.hpp"

#include <libdeflate.h>

namespace dlscale::images {

std::uint32_t checksum(std::span<const std::uint8_t> bytes, std::uint32_t before) {
  return ::libdeflate_crc32(before, bytes.data(), bytes.size());
}

}  // namespace dlscale::images
