// SPDX-License-Identifier: Apache-2.0
// Views as text: CSV without comments before the line of names, which not every reader would skip,
// and JSON Lines.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace dlscale::analysis {

// Private to analysis/store/export/*.cpp: a file that grows by lines.
class LineFile {
 public:
  LineFile() = default;
  explicit LineFile(std::filesystem::path path);
  void add(const std::string& line) { out_ << line; }
  /// Throws base::RunError when something could not be written. Nothing of a file never opened.
  void close();

 private:
  std::filesystem::path path_;
  std::ofstream out_;
};

}  // namespace dlscale::analysis
