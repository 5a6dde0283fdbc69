// SPDX-License-Identifier: Apache-2.0
// Line-by-line text file that the CSV and JSON Lines writers of views share.
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
  /// Closes the file. Throws base::RunError when data could not be written. Does nothing for a file
  /// that was never opened.
  void close();

 private:
  std::filesystem::path path_;
  std::ofstream out_;
};

}  // namespace dlscale::analysis
