// SPDX-License-Identifier: Apache-2.0
// Converts SQLite tables to Parquet files with the Python package dlscale.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "runner/batch/command_runner.hpp"

namespace dlscale::workspace {

/// Returns the Python interpreter of the Python package dlscale: $DLSCALE_PYTHON if it is set,
/// otherwise `python3` in the folder of the running program, otherwise the first `python3` in PATH.
std::string python_program();

class ParquetConverter {
 public:
  /// Checks that the interpreter has the packages dlscale and pyarrow. Throws base::UsageError if
  /// it does not. The message contains the command that installs the missing package.
  ParquetConverter();

  /// Writes folder/<table>.parquet for each table of the SQLite file `tables`. Throws
  /// base::RunError if the files cannot be written.
  void convert(const std::filesystem::path& tables, const std::filesystem::path& folder) const;

 private:
  std::string python_;
  std::unique_ptr<runner::CommandRunner> commands_;
};

}  // namespace dlscale::workspace
