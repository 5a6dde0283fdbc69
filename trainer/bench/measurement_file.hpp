// SPDX-License-Identifier: Apache-2.0
// A file of measurements that benchmarks go on with, whatever ended the last one.
#pragma once

#include <filesystem>
#include <string>

#include "base/file.hpp"
#include "contract/records/bench_record.hpp"

namespace dlscale::trainer {

class MeasurementFile {
 public:
  /// Makes the file, or opens it; a last line that has no end is taken away, as its measurement was
  /// not finished. Throws base::RunError where it cannot be read or written, base::SpecError where
  /// it holds something else.
  explicit MeasurementFile(const std::filesystem::path& path);

  /// What it held when it was opened.
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
