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
#include "images/mapped_file.hpp"
#include "images/record_layout.hpp"

namespace dlscale::images {

inline constexpr std::string_view kRecordFileEnding = ".dlrec";

/// root/<split>.dlrec
std::filesystem::path record_file_of(const std::filesystem::path& root, std::string_view split);

struct RecordEntry;

/// The file is mapped: a process touches the index and the records that it takes. All calls may be
/// made by many threads at once. Where the file itself is no good they throw base::RunError
/// (contract::kExitData) that names it; records that are damaged are BrokenPictures.
class RecordFile {
 public:
  /// Reads header, index, class names and note, and checks all that they say. Throws for files
  /// that are missing, cut, damaged, of another format or another version.
  explicit RecordFile(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return map_.path(); }
  std::int64_t size() const { return static_cast<std::int64_t>(entries_); }
  std::int64_t file_bytes() const { return static_cast<std::int64_t>(map_.bytes().size()); }
  const std::vector<std::string>& classes() const { return classes_; }
  /// What it was made from and how, as RecordWriter was told.
  const std::string& note() const { return note_; }
  /// SHA-256 of index, class names and note: it follows from all that is in the file.
  std::string digest() const;
  /// Broken images that are not in it.
  int left_out() const { return left_out_; }
  std::uint32_t alignment() const { return alignment_; }

  /// What the index has of a record; its bytes have not been looked at.
  Record entry(std::int64_t number) const;
  /// The bytes as well: their checksum is compared when a record is first taken. Throws
  /// BrokenPicture when it differs. Throws base::RunError where the file no longer holds what was
  /// read of it, now or since the last call.
  Record take(std::int64_t number) const;
  /// As take(), always comparing.
  void verify(std::int64_t number) const;
  /// Lets the system fetch a record that will soon be taken, and returns at once.
  void will_take(std::int64_t number) const;
  /// "FILE: record 17 (class cat)"
  std::string name(std::int64_t number) const;

 private:
  RecordEntry index_entry(std::int64_t number) const;
  void require_intact() const;

  MappedFile map_;
  std::size_t entries_ = 0;
  std::size_t index_offset_ = 0;
  std::uint32_t alignment_ = 0;
  int left_out_ = 0;
  std::vector<std::string> classes_;
  std::string note_;
  mutable std::vector<std::atomic<bool>> is_checked_;  ///< one per record
};

}  // namespace dlscale::images
