// SPDX-License-Identifier: Apache-2.0
#include "images/checksum.hpp"

#include <zlib.h>

#include <catch2/catch.hpp>
#include <vector>

using namespace dlscale;

namespace {

std::vector<std::uint8_t> some_bytes(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  std::uint32_t state = 1;
  for (std::uint8_t& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  return bytes;
}

}  // namespace

TEST_CASE("the checksum equals the CRC-32 of zlib for every length and alignment") {
  const std::vector<std::uint8_t> bytes = some_bytes(1000);
  for (std::size_t first : {0, 1, 7, 15}) {
    for (std::size_t count = 0; count + first <= bytes.size(); ++count) {
      const std::span part = std::span(bytes).subspan(first, count);
      if (images::checksum(part) == ::crc32_z(0, part.data(), part.size())) continue;
      FAIL("wrong for " << count << " bytes from " << first);
    }
  }
}

TEST_CASE("a checksum continues from the checksum of the preceding bytes") {
  const std::vector<std::uint8_t> bytes = some_bytes(5000);
  const std::span all(bytes);
  for (std::size_t cut : {0, 1, 63, 64, 65, 2500, 4999, 5000}) {
    CHECK(images::checksum(all.subspan(cut), images::checksum(all.first(cut))) ==
          images::checksum(all));
  }
}
