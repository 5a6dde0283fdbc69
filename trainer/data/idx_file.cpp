// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/idx_file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::trainer {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kChunkBytes = std::int64_t{1} << 20;
constexpr std::uint8_t kUnsignedByte = 0x08;

/// An open file; zlib passes uncompressed ones through.
class IdxStream {
 public:
  explicit IdxStream(fs::path path)
      : path_(std::move(path)), file_(gzopen(path_.c_str(), "rb"), gzclose) {
    if (!file_) fail(std::strerror(errno));
  }

  /// Up to `count` bytes; fewer at the end of the file.
  std::vector<std::uint8_t> read(std::int64_t count) {
    std::vector<std::uint8_t> bytes;
    while (count > 0) {
      const auto size = bytes.size();
      const auto wanted = static_cast<unsigned>(std::min(count, kChunkBytes));
      bytes.resize(size + wanted);
      const int got = gzread(file_.get(), bytes.data() + size, wanted);
      if (got < 0) fail("the gzip data is damaged");
      bytes.resize(size + static_cast<std::size_t>(got));
      if (got == 0) break;
      count -= got;
    }
    return bytes;
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw base::RunError(
        fmt::format("cannot read {}: {}; fetch the file again", path_.string(), problem),
        contract::kExitData);
  }

 private:
  fs::path path_;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
};

fs::path plain_or_compressed(const fs::path& path) {
  const fs::path compressed = path.string() + ".gz";
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return path;
  if (fs::is_regular_file(compressed, ignored)) return compressed;
  throw base::RunError(fmt::format("cannot read {}: no such file, nor {}; put the file there or "
                                   "correct training.dataset.path in the study",
                                   path.string(), compressed.filename().string()),
                       contract::kExitData);
}

std::int64_t big_endian(const std::uint8_t* bytes) {
  return std::int64_t{bytes[0]} << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

}  // namespace

IdxArray read_idx(const fs::path& path, int dimensions) {
  IdxStream stream(plain_or_compressed(path));
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
