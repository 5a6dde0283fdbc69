// SPDX-License-Identifier: Apache-2.0
// Reads images by number from a record file, which contains many images of one split.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "images/decode.hpp"
#include "images/open_file.hpp"
#include "images/record_layout.hpp"

namespace dlscale::images {

inline constexpr std::string_view kRecordFileEnding = ".dlrec";

/// Returns the path root/<split>.dlrec.
std::filesystem::path record_file_of(const std::filesystem::path& root, std::string_view split);

/// Record file that is open for reading. The index is in memory, and read_record() reads a record
/// when it is called. Several threads may call all functions at the same time. Functions throw
/// base::RunError (contract::kExitData) with the name of the file if the file is invalid. Functions
/// throw BrokenPicture if a record is damaged.
class RecordFile {
 public:
  /// Reads and checks the header, the index, the class names and the note. Throws base::RunError if
  /// the file is missing, cut, damaged, of another format or of another version.
  explicit RecordFile(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::int64_t size() const { return static_cast<std::int64_t>(entries_.size()); }
  std::int64_t file_bytes() const { return static_cast<std::int64_t>(file_bytes_); }
  const std::vector<std::string>& classes() const { return classes_; }
  /// Returns the note in the file (RecordFileHead::note): the source of the images and the options
  /// of the packing.
  const std::string& note() const { return note_; }
  /// Returns the SHA-256 of the index, the class names and the note. The digest changes if any
  /// content of the file changes, because the index contains the checksums of the records.
  const std::string& digest() const { return digest_; }
  /// Returns the number of broken images that were omitted from the file.
  int left_out() const { return left_out_; }
  std::uint32_t alignment() const { return alignment_; }

  /// Returns the data that the index has about a record. The result contains no image bytes.
  Record entry(std::int64_t number) const;
  /// Reads the bytes of a record into `buffer`. The returned record refers to `buffer`. Compares
  /// the checksum when a record is first read. Throws BrokenPicture if the checksum is wrong.
  /// Throws base::RunError if the file has become shorter or cannot be read.
  Record read_record(std::int64_t number, std::vector<std::uint8_t>& buffer) const;
  /// Reads a record into `buffer` and compares its checksum in every call. Throws as read_record()
  /// does.
  void verify(std::int64_t number, std::vector<std::uint8_t>& buffer) const;
  /// Asks the system to prefetch a record that read_record() will soon read, and returns
  /// immediately.
  void will_take(std::int64_t number) const;
  /// Returns the name of a record for messages: "FILE: record 17 (class cat)".
  std::string name(std::int64_t number) const;

 private:
  const RecordEntry& index_entry(std::int64_t number) const {
    return entries_[static_cast<std::size_t>(number)];
  }
  void read(const RecordEntry& entry, std::vector<std::uint8_t>& buffer) const;

  std::filesystem::path path_;
  OpenFile file_;
  std::uint64_t file_bytes_ = 0;
  std::vector<RecordEntry> entries_;
  std::string digest_;
  std::uint32_t alignment_ = 0;
  int left_out_ = 0;
  std::vector<std::string> classes_;
  std::string note_;
  /// For each record, true if its checksum is verified.
  mutable std::vector<std::atomic<bool>> is_checked_;
};

}  // namespace dlscale::images
