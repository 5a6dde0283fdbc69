// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/data_file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::trainer {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kChunkBytes = std::int64_t{1} << 20;

fs::path compressed(const fs::path& path) {
  return path.string() + ".gz";
}

fs::path plain_or_compressed(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return path;
  if (fs::is_regular_file(compressed(path), ignored)) return compressed(path);
  throw base::RunError(fmt::format("cannot read {}: no such file, nor {}; put the file there or "
                                   "correct training.dataset.path in the study",
                                   path.string(), compressed(path).filename().string()),
                       contract::kExitData);
}

}  // namespace

// zlib passes uncompressed files through.
DataFile::DataFile(const fs::path& path)
    : path_(plain_or_compressed(path)), file_(gzopen(path_.c_str(), "rb"), gzclose) {
  if (!file_) fail(std::strerror(errno));
}

std::vector<std::uint8_t> DataFile::read(std::int64_t count) {
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
  int state = Z_OK;
  gzerror(file_.get(), &state);
  if (state == Z_BUF_ERROR) fail("the gzip data is cut short");
  return bytes;
}

std::string DataFile::text() {
  const auto bytes = read(std::numeric_limits<std::int64_t>::max());
  return {bytes.begin(), bytes.end()};
}

void DataFile::fail(const std::string& problem) const {
  throw base::RunError(
      fmt::format("cannot read {}: {}; fetch the file again", path_.string(), problem),
      contract::kExitData);
}

bool has_data_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) || fs::is_regular_file(compressed(path), ignored);
}

}  // namespace dlscale::trainer
