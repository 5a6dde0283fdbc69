// SPDX-License-Identifier: Apache-2.0
// File of measurements. An interrupted benchmark can be restarted and continues its file.
#pragma once

#include <filesystem>
#include <string>

#include "base/file.hpp"
#include "contract/records/bench_record.hpp"

namespace dlscale::trainer {

class MeasurementFile {
 public:
  /// Creates or opens the file. Removes an incomplete last line, which remains when a benchmark is
  /// interrupted while it writes. Throws base::RunError when the file cannot be read or written.
  /// Throws base::SpecError when the content of the file is invalid.
  explicit MeasurementFile(const std::filesystem::path& path);

  /// Returns the records that the file contained when the constructor opened it.
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
