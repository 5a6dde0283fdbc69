// SPDX-License-Identifier: Apache-2.0
// Reading a record file: many images of one split, found by their numbers.
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

/// root/<split>.dlrec
std::filesystem::path record_file_of(const std::filesystem::path& root, std::string_view split);

/// The index is in memory, records are read when they are taken. All calls may be made by many
/// threads at once. Where the file itself is no good they throw base::RunError
/// (contract::kExitData) that names it; records that are damaged are BrokenPictures.
class RecordFile {
 public:
  /// Reads header, index, class names and note, and checks all that they say. Throws for files
  /// that are missing, cut, damaged, of another format or another version.
  explicit RecordFile(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::int64_t size() const { return static_cast<std::int64_t>(entries_.size()); }
  std::int64_t file_bytes() const { return static_cast<std::int64_t>(file_bytes_); }
  const std::vector<std::string>& classes() const { return classes_; }
  /// What it was made from and how, as RecordWriter was told.
  const std::string& note() const { return note_; }
  /// SHA-256 of index, class names and note: it follows from all that is in the file.
  const std::string& digest() const { return digest_; }
  /// Broken images that are not in it.
  int left_out() const { return left_out_; }
  std::uint32_t alignment() const { return alignment_; }

  /// What the index has of a record, without its bytes.
  Record entry(std::int64_t number) const;
  /// Reads its bytes into `buffer`, which the returned record looks at. Their checksum is compared
  /// when a record is first taken. Throws BrokenPicture when it differs, base::RunError where the
  /// file has become shorter or cannot be read.
  Record take(std::int64_t number, std::vector<std::uint8_t>& buffer) const;
  /// As take(), always comparing.
  void verify(std::int64_t number, std::vector<std::uint8_t>& buffer) const;
  /// Lets the system fetch a record that will soon be taken, and returns at once.
  void will_take(std::int64_t number) const;
  /// "FILE: record 17 (class cat)"
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
  mutable std::vector<std::atomic<bool>> is_checked_;  ///< one per record
};

}  // namespace dlscale::images
