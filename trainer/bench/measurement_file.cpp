// SPDX-License-Identifier: Apache-2.0
#include "trainer/bench/measurement_file.hpp"

#include <system_error>

#include "base/error.hpp"

namespace dlscale::trainer {
namespace {

/// Reads the records of a measurement file and removes an incomplete last line from the file.
/// Checks the content before it changes the file, so that a file that is not a measurement file
/// stays unchanged.
contract::BenchRecords read_and_mend(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return {};
  std::string text = base::read_file(path);
  const std::size_t whole = text.find_last_of('\n') + 1;  // total length of the complete lines
  const bool cut_off = whole < text.size();
  if (cut_off && !text.substr(whole).starts_with("{\"record\":")) {
    throw base::UsageError(path.string() +
                           ": the last line is not a measurement; use another file");
  }
  text.resize(whole);
  contract::BenchRecords records = contract::bench_records_from_jsonl(text, path.string());
  if (!cut_off) return records;
  std::error_code error;
  std::filesystem::resize_file(path, whole, error);
  if (error) throw base::RunError(path.string() + ": " + error.message());
  return records;
}

}  // namespace

MeasurementFile::MeasurementFile(const std::filesystem::path& path)
    : records_(read_and_mend(path)), lines_(path) {}

}  // namespace dlscale::trainer
