// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/idx_file.hpp"

#include <fmt/format.h>

#include "trainer/data/data_file.hpp"

namespace dlscale::trainer {
namespace fs = std::filesystem;
namespace {

constexpr std::uint8_t kUnsignedByte = 0x08;

std::int64_t big_endian(const std::uint8_t* bytes) {
  return std::int64_t{bytes[0]} << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

}  // namespace

IdxArray read_idx(const fs::path& path, int dimensions) {
  DataFile stream(path);
  const std::int64_t header_bytes = 4 + 4 * dimensions;
  const auto header = stream.read(header_bytes);
  if (header.size() < 4 || header[0] != 0 || header[1] != 0) stream.fail("not an IDX file");
  if (header[2] != kUnsignedByte) stream.fail("its elements are not unsigned bytes");
  if (header[3] != dimensions) {
    stream.fail(fmt::format("it has {} dimensions instead of {}", header[3], dimensions));
  }
  if (static_cast<std::int64_t>(header.size()) < header_bytes) stream.fail("it ends in its header");
  IdxArray array;
  std::int64_t count = 1;
  for (int i = 0; i < dimensions; ++i) {
    array.sizes.push_back(big_endian(header.data() + 4 + 4 * i));
    if (__builtin_mul_overflow(count, array.sizes.back(), &count))
      stream.fail("its sizes overflow");
  }
  array.values = stream.read(count);
  if (static_cast<std::int64_t>(array.values.size()) < count) {
    stream.fail(fmt::format("it is cut short: {} of {} bytes", array.values.size(), count));
  }
  if (!stream.read(1).empty()) stream.fail("it is longer than its header says");
  return array;
}

}  // namespace dlscale::trainer
