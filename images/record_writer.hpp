// SPDX-License-Identifier: Apache-2.0
// Writing a record file, so that it is there whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "images/record_layout.hpp"

namespace dlscale::images {

/// What a file is about, beside its records.
struct RecordFileHead {
  std::vector<std::string> classes;  ///< no name has a line break
  std::string note;                  ///< what it was made from and how; RecordFile::note()
  std::uint32_t alignment = 4096;    ///< a record begins at a multiple: 2^7 to 2^20 bytes
};

/// Records are appended to a part file beside `path`, which gets its name when the disk has all of
/// it; without finish() nothing stays. The bytes follow from what is appended alone. Errors are
/// base::RunErrors that name `path`, as for a full disk.
class RecordWriter {
 public:
  /// Throws base::UsageError for what a file cannot have.
  RecordWriter(std::filesystem::path path, RecordFileHead head);

  /// Raw ones have height x width x 3 bytes; none more than 4 GiB.
  void append(const Record& record);
  /// Writes the index; `left_out`: RecordFile::left_out().
  void finish(int left_out);

 private:
  RecordFileHead head_;
  base::PartFile part_;
  std::string index_;  ///< of the records so far, as it will stand in the file
  std::uint64_t records_ = 0;
};

}  // namespace dlscale::images
