// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/data_file.hpp"

#include <fmt/format.h>

#include <zlib.h>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::trainer {
namespace fs = std::filesystem;
namespace {

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

}  // namespace

std::string expand_variables(std::string_view path, const VariableLookup& lookup,
                             std::string_view key, int exit_code) {
  const auto fail = [&](const std::string& problem) {
    throw base::RunError(fmt::format("{} \"{}\": {}", key, path, problem), exit_code);
  };
  std::string expanded;
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t dollar = std::min(rest.find('$'), rest.size());
    expanded += rest.substr(0, dollar);
    rest.remove_prefix(dollar);
    if (rest.empty()) break;
    rest.remove_prefix(1);
    const bool braced = rest.substr(0, 1) == "{";
    if (braced) rest.remove_prefix(1);
    const auto end = std::find_if_not(rest.begin(), rest.end(), in_name);
    const std::string name(rest.begin(), end);
    rest.remove_prefix(name.size());
    if (braced && rest.substr(0, 1) != "}") fail("\"${\" without a closing \"}\"");
    if (braced) rest.remove_prefix(1);
    if (name.empty()) fail("no variable name after \"$\"");
    const char* value = lookup(name.c_str());
    if (!value) fail(fmt::format("the environment variable {} is not set; export it", name));
    expanded += value;
  }
  return expanded;
}

namespace {

constexpr std::int64_t kChunkBytes = std::int64_t{1} << 20;

fs::path compressed(const fs::path& path) {
  return path.string() + ".gz";
}

fs::path plain_or_compressed(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return path;
  if (fs::is_regular_file(compressed(path), ignored)) return compressed(path);
  throw base::RunError(
      fmt::format("cannot read {}: neither this file nor {} exists; put the file there or "
                  "correct training.dataset.path in the study",
                  path.string(), compressed(path).filename().string()),
      contract::kExitData);
}

}  // namespace

// gzopen() also opens uncompressed files, so compressed and plain files need the same code.
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
