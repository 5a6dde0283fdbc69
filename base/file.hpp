// SPDX-License-Identifier: Apache-2.0
// Reading and writing whole files and lines so that a crash leaves nothing half-written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace dlscale::base {

/// The whole file. Throws RunError naming the path and the system's reason.
std::string read_file(const std::filesystem::path& path);

/// The last so many bytes, or the whole of a smaller file; nothing of one that cannot be read.
std::string read_end(const std::filesystem::path& path, std::size_t bytes);

/// The most that people write by hand and that is read as a whole.
inline constexpr std::size_t kMostTextBytes = std::size_t{64} << 20;

/// As read_file, for files that people name: throws RunError for more than kMostTextBytes too, and
/// so for devices without an end. Pipes are read like files.
std::string read_text_file(const std::filesystem::path& path);

/// Writes a file so that readers see the old content or the new, never a part: a temporary file
/// beside it is written, flushed and renamed. Throws RunError; the target is then unchanged.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// As write_file_atomically, but leaves a file that already has this content alone.
/// Returns true when it wrote.
bool write_file_if_changed(const std::filesystem::path& path, std::string_view content);

/// What stands behind the name of a file that a process of this machine is writing, until it is
/// whole: ".part", the process, "@" and the host's name. Machines that share a file system do not
/// know each other's processes.
std::string part_ending(int process);

/// Removes what processes of this machine that were killed had begun to write in a folder (not
/// below it).
void remove_left_parts(const std::filesystem::path& folder);

/// A file that grows beside its place under another name, and is removed unless it gets its own.
/// Throws RunErrors that name the place.
class PartFile {
 public:
  explicit PartFile(std::filesystem::path path);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  std::uint64_t size() const { return size_; }
  void append(std::string_view bytes);
  /// Over what has been appended.
  void write(std::string_view bytes, std::uint64_t offset) const;
  /// Until the disk has all of it.
  void flush() const;
  /// Readers see the old file or this one; nothing can be written any more.
  void take_its_name();
  /// Leaves the file under the name that it grew under; nothing can be written any more.
  void stay_a_part() { part_.clear(); }

 private:
  friend class Folder;
  PartFile(int folder, const std::string& name, std::filesystem::path path, unsigned permissions);

  std::filesystem::path path_;
  int folder_;  ///< that the names are relative to, as for openat
  std::string name_, part_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// Makes a directory and its parents. Throws RunError naming the path and the reason.
void make_directories(const std::filesystem::path& path);

/// A folder opened once, for many small files: their names are relative to it. Throws RunError for
/// whatever the system refuses.
class Folder {
 public:
  enum class Mode { plain, executable };

  /// A folder that does not exist (yet) is one that holds nothing.
  explicit Folder(std::filesystem::path path);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  bool exists() const { return descriptor_ >= 0; }
  /// True when `name` is a file with this content that all who may read it can execute if asked.
  bool holds(const std::string& name, std::string_view content, Mode mode = Mode::plain) const;
  /// What the system says of a file without opening it: size, mode, inode, times of the last
  /// change. It differs after every change of the file, unless two fall into one tick of the
  /// system's clock (at most 10 ms). Empty for a file that is not there.
  std::string stamp(const std::string& name) const;
  /// As write_file_atomically.
  void write(const std::string& name, std::string_view content, Mode mode = Mode::plain) const;
  /// Writes the content beside its place, under the name that a part of `name` has, where no reader
  /// looks for it. publish() then makes it appear, discard() removes it.
  void stage(const std::string& name, std::string_view content, Mode mode = Mode::plain) const;
  void publish(const std::string& name) const;
  void discard(const std::string& name) const;
  /// Makes a folder in this one unless it is there.
  void make_directory(const std::string& name) const;

 private:
  std::filesystem::path path_;
  int descriptor_;
};

/// What makes a large file's content: calls the function it is given with one piece after another.
using Pieces = std::function<void(const std::function<void(std::string_view)>& take)>;

/// True when the file has this content. Nothing is written.
bool file_holds(const std::filesystem::path& path, const Pieces& content);

/// write_file_atomically for content that is too large to hold.
void write_pieces_atomically(const std::filesystem::path& path, const Pieces& content);

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
