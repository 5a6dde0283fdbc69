// SPDX-License-Identifier: Apache-2.0
// Access to the files of a data set. Paths may contain environment variables, files may be
// compressed with gzip, and errors name the file.
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

// Error for data that a run cannot train on. It ends the run with contract::kExitData.

[[noreturn]] inline void refuse_data(const std::string& message) {
  throw base::RunError(message, contract::kExitData);
}

// Environment variables in the paths of a run description. The variables let the same description
// work on machines that keep data in different folders.

/// Function that returns the value of an environment variable, or null when the variable is not
/// set, for example ::getenv.
using VariableLookup = std::function<const char*(const char* name)>;

/// Replaces $NAME and ${NAME} in `path`. Throws base::RunError with `exit_code` when a variable is
/// not set or when no name follows a `$`. `key` is the key of the run description that contains the
/// path, for the error message.
std::string expand_variables(std::string_view path, const VariableLookup& lookup,
                             std::string_view key = "dataset.path",
                             int exit_code = contract::kExitData);

}  // namespace dlscale::trainer

// Reader for a file of a data set, plain or gzip-compressed, with errors that name the file.

struct gzFile_s;

namespace dlscale::trainer {

/// A file of a data set. If a member function fails, it throws base::RunError (contract::kExitData)
/// with the name of the file.
class DataFile {
 public:
  /// Opens `path`, or `path`.gz when `path` does not exist.
  explicit DataFile(const std::filesystem::path& path);
  /// Returns up to `count` bytes. Returns fewer bytes only at the end of the file.
  std::vector<std::uint8_t> read(std::int64_t count);
  /// Returns the rest of the file.
  std::string text();
  /// Throws "cannot read FILE: problem; fetch the file again".
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  std::filesystem::path path_;
  std::unique_ptr<gzFile_s, int (*)(gzFile_s*)> file_;
};

/// Returns true when `path` or `path`.gz is a file.
bool has_data_file(const std::filesystem::path& path);

}  // namespace dlscale::trainer
