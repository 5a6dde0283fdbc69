// SPDX-License-Identifier: Apache-2.0
// Text file that the CSV writer and the JSON Lines writer of views use.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace dlscale::analysis {

// Text file that is written line by line. Private to analysis/store/export/*.cpp.
class LineFile {
 public:
  LineFile() = default;
  explicit LineFile(std::filesystem::path path);
  void add(const std::string& line) { out_ << line; }
  /// Closes the file. Throws base::RunError if data could not be written. Does nothing if no file
  /// is open.
  void close();

 private:
  std::filesystem::path path_;
  std::ofstream out_;
};

}  // namespace dlscale::analysis
