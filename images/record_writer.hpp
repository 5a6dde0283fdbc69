// SPDX-License-Identifier: Apache-2.0
// Writes a record file, which exists completely or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "images/record_layout.hpp"

namespace dlscale::images {

/// Content of a record file in addition to its records.
struct RecordFileHead {
  std::vector<std::string> classes;  ///< names of the classes, without line breaks
  std::string note;                  ///< image source and packing options, see RecordFile::note()
  std::uint32_t alignment = 4096;    ///< alignment of records: 2^7 to 2^20 bytes, a power of two
};

/// Writer that appends records to a part file next to `path`. finish() renames the part file to
/// `path` when all of its bytes are on the disk. Without finish() the part file is deleted. The
/// bytes of the file depend only on the head and the appended records. Errors such as a full disk
/// throw base::RunError with the name of `path`.
class RecordWriter {
 public:
  /// Creates the part file. Throws base::UsageError if the values in `head` are not allowed in a
  /// record file.
  RecordWriter(std::filesystem::path path, RecordFileHead head);

  /// Appends a record of at most 4 GiB. Raw records must have height x width x 3 bytes.
  void append(const Record& record);
  /// Writes the index and the header, and renames the file. `left_out` is the number of broken
  /// images that were omitted. RecordFile::left_out() returns it.
  void finish(int left_out);

 private:
  RecordFileHead head_;
  base::PartFile part_;
  std::string index_;  ///< bytes of the index for the records that are already appended
  std::uint64_t records_ = 0;
};

}  // namespace dlscale::images
