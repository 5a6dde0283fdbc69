// SPDX-License-Identifier: Apache-2.0
// Reading a data set's file: where it lies, plain or gzip-compressed, and naming it when it is no
// good.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::trainer {

// How data that cannot be trained on are refused.

[[noreturn]] inline void refuse_data(const std::string& message) {
  throw base::RunError(message, contract::kExitData);
}

// Variables in the paths that a run reads, so that one description serves machines with different
// disks.

/// The value of a variable, or null when it is not set; ::getenv is one.
using VariableLookup = std::function<const char*(const char* name)>;

/// Replaces $NAME and ${NAME}. Throws base::RunError with that exit code for a variable that is not
/// set and for a `$` that no name follows; `key` is what of the run description has the path.
std::string expand_variables(std::string_view path, const VariableLookup& lookup,
                             std::string_view key = "dataset.path",
                             int exit_code = contract::kExitData);

}  // namespace dlscale::trainer

// Reading a data set's file, plain or gzip-compressed, and naming it when it is no good.

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
