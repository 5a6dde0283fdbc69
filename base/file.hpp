// SPDX-License-Identifier: Apache-2.0
// Reading and writing whole files and lines so that a crash leaves nothing half-written.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace dlscale::base {

/// The whole file. Throws RunError naming the path and the system's reason.
std::string read_file(const std::filesystem::path& path);

/// Writes a file so that readers see the old content or the new, never a part: a temporary file
/// beside it is written, flushed and renamed. Throws RunError; the target is then unchanged.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// As write_file_atomically, but leaves a file that already has this content alone.
/// Returns true when it wrote.
bool write_file_if_changed(const std::filesystem::path& path, std::string_view content);

/// Makes a directory and its parents. Throws RunError naming the path and the reason.
void make_directories(const std::filesystem::path& path);

/// Appends whole lines to one file, one write(2) with O_APPEND per line, so that a killed process
/// leaves complete lines only. If the file ends in a part of a line, the first append ends it.
/// Not copyable; one writer per file.
class LineAppender {
 public:
  explicit LineAppender(const std::filesystem::path& path);
  ~LineAppender();
  LineAppender(const LineAppender&) = delete;
  LineAppender& operator=(const LineAppender&) = delete;
  /// `line` must hold no newline; one is added. Throws RunError (for example: disk full).
  void append(std::string_view line);

 private:
  std::filesystem::path path_;
  int descriptor_;
};

}  // namespace dlscale::base
