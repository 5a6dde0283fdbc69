// SPDX-License-Identifier: Apache-2.0
// File of measurements that an interrupted benchmark can continue.
#pragma once

#include <filesystem>
#include <string>

#include "base/file.hpp"
#include "contract/records/bench_record.hpp"

namespace dlscale::trainer {

class MeasurementFile {
 public:
  /// Creates or opens the file. Removes an incomplete last line, whose measurement did not finish.
  /// Throws base::RunError when the file cannot be read or written, and base::SpecError when its
  /// content is invalid.
  explicit MeasurementFile(const std::filesystem::path& path);

  /// Returns the records that the file held when it was opened.
  const contract::BenchRecords& records() const { return records_; }
  template <class Record>
  void append(const Record& record) {
    lines_.append(to_json_line(record));
  }

 private:
  contract::BenchRecords records_;
  base::LineAppender lines_;
};

}  // namespace dlscale::trainer
