// SPDX-License-Identifier: Apache-2.0
// Helpers that select the records of one type from the records of a run, and compute the rate of a
// window.
#pragma once

#include <variant>
#include <vector>

#include "contract/records/result_record.hpp"

namespace dlscale::test {

template <class Record>
std::vector<Record> all(const std::vector<contract::ResultRecord>& records) {
  std::vector<Record> found;
  for (const auto& record : records) {
    if (const auto* match = std::get_if<Record>(&record)) found.push_back(*match);
  }
  return found;
}

template <class Record>
std::vector<Record> all(const contract::ResultsFile& file) {
  return all<Record>(file.records);
}

/// Returns the samples per second of a window.
inline double rate_of(const contract::StepWindow& window) {
  return static_cast<double>(window.samples) / window.wall_s;
}

}  // namespace dlscale::test
