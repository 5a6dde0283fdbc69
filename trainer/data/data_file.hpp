// SPDX-License-Identifier: Apache-2.0
// Reading a data set's file, plain or gzip-compressed, and naming it when it is no good.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

struct gzFile_s;

namespace dlscale::trainer {

/// All errors are base::RunError (contract::kExitData) that name the file.
class DataFile {
 public:
  /// Opens `path`, or `path`.gz when there is no `path`.
  explicit DataFile(const std::filesystem::path& path);
  /// Up to `count` bytes; fewer at the end of the file.
  std::vector<std::uint8_t> read(std::int64_t count);
  /// All that is left.
  std::string text();
  /// "cannot read FILE: problem; fetch the file again"
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  std::filesystem::path path_;
  std::unique_ptr<gzFile_s, int (*)(gzFile_s*)> file_;
};

/// Whether `path` or `path`.gz is a file.
bool has_data_file(const std::filesystem::path& path);

}  // namespace dlscale::trainer
