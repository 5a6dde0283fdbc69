// SPDX-License-Identifier: Apache-2.0
// Reads and writes whole files and lines so that a crash leaves no incomplete file or line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace dlscale::base {

/// Reads the whole file. Throws RunError with the path and the reason that the system reports.
std::string read_file(const std::filesystem::path& path);

/// Reads the last `bytes` bytes, or the whole of a smaller file. Returns an empty text if the file
/// cannot be read.
std::string read_end(const std::filesystem::path& path, std::size_t bytes);

/// Maximum size of files that people write by hand and that are read as a whole.
inline constexpr std::size_t kMostTextBytes = std::size_t{64} << 20;

/// Reads the whole of a file that a user named. Throws RunError as read_file does. Also throws
/// RunError for content above kMostTextBytes, so that reading stops on devices without an end.
/// Pipes are read like files.
std::string read_text_file(const std::filesystem::path& path);

/// Writes a file so that readers see either the old or the new content, never a part. A temporary
/// file next to the target is written and then renamed. Throws RunError and leaves the target
/// unchanged on failure.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// Writes a file like write_file_atomically, unless the file already has this content. Returns true
/// if the file was written.
bool write_file_if_changed(const std::filesystem::path& path, std::string_view content);

/// Returns the ending of the temporary name of a file that `process` on this machine writes:
/// ".part", the process, "@" and the host's name. The host's name is needed because a machine
/// cannot check the processes of other machines with the same file system.
std::string part_ending(int process);

/// Removes the temporary files that killed processes of this machine left in a folder. Does not
/// search subfolders.
void remove_left_parts(const std::filesystem::path& folder);

/// File that is written under a temporary name next to its target. The file is removed unless it
/// gets its final name. Errors are RunErrors with the path of the target.
class PartFile {
 public:
  explicit PartFile(std::filesystem::path path);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  std::uint64_t size() const { return size_; }
  void append(std::string_view bytes);
  /// Overwrites bytes from `offset` on. The bytes must have been appended before.
  void write(std::string_view bytes, std::uint64_t offset) const;
  /// Writes all bytes to the disk before it returns.
  void flush() const;
  /// Renames the file to its final name. Readers see the old file or this file. Nothing can be
  /// written after this call.
  void take_its_name();
  /// Keeps the file under its temporary name. Nothing can be written after this call.
  void stay_a_part() { part_.clear(); }

 private:
  friend class Folder;
  PartFile(int folder, const std::string& name, std::filesystem::path path, unsigned permissions);

  std::filesystem::path path_;
  int folder_;  ///< descriptor of the folder that contains the file (see openat)
  std::string name_, part_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// Creates a directory and its parents. Throws RunError with the path and the reason.
void make_directories(const std::filesystem::path& path);

/// Folder that is opened once, for many small files whose names are relative to it. Throws RunError
/// for every error of the system.
class Folder {
 public:
  enum class Mode { plain, executable };

  /// Opens a folder. A folder that does not exist counts as empty.
  explicit Folder(std::filesystem::path path);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  bool exists() const { return descriptor_ >= 0; }
  /// Returns whether `name` is a file with this content. With Mode::executable, all users who may
  /// read the file must also be able to execute it.
  bool holds(const std::string& name, std::string_view content, Mode mode = Mode::plain) const;
  /// Returns a stamp of a file: its size, mode, inode and times of the last change. Does not open
  /// the file. The stamp differs after every change of the file, unless two changes fall into one
  /// tick of the system's clock (at most 10 ms). Returns an empty text if the file does not exist.
  std::string stamp(const std::string& name) const;
  /// Writes a file like write_file_atomically.
  void write(const std::string& name, std::string_view content, Mode mode = Mode::plain) const;
  /// Writes the content under the temporary name of `name`, which readers do not open. publish()
  /// then gives the file its name, and discard() removes it.
  void stage(const std::string& name, std::string_view content, Mode mode = Mode::plain) const;
  void publish(const std::string& name) const;
  void discard(const std::string& name) const;
  /// Creates a folder in this folder, unless it exists.
  void make_directory(const std::string& name) const;

 private:
  std::filesystem::path path_;
  int descriptor_;
};

/// Function that produces the content of a large file. The function calls `write` with one piece
/// after another.
using Pieces = std::function<void(const std::function<void(std::string_view)>& write)>;

/// Returns whether the file has this content. Writes nothing.
bool file_holds(const std::filesystem::path& path, const Pieces& content);

/// Writes a file like write_file_atomically, for content that is too large to keep in memory.
void write_pieces_atomically(const std::filesystem::path& path, const Pieces& content);

/// Appender of whole lines to one file. Each line is one write(2) with O_APPEND, so that a killed
/// process leaves only complete lines. If the file ends in an incomplete line, the constructor ends
/// that line. A file must have only one writer.
class LineAppender {
 public:
  explicit LineAppender(const std::filesystem::path& path);
  ~LineAppender();
  LineAppender(const LineAppender&) = delete;
  LineAppender& operator=(const LineAppender&) = delete;
  /// Appends `line` and a newline. `line` must not contain a newline. Throws RunError (for example:
  /// disk full).
  void append(std::string_view line);

 private:
  std::filesystem::path path_;
  int descriptor_;
};

}  // namespace dlscale::base
