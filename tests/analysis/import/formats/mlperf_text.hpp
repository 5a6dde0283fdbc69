// SPDX-License-Identifier: Apache-2.0
// Functions that write MLPerf log lines in the form of published results, with round numbers, and
// functions that read the totals of such logs.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/analysis/import/formats/log_reading.hpp"

namespace dlscale::analysis {

/// Returns a line in the form of v0.7 and later with the time `time_s` in seconds.
inline std::string line(double time_s, const char* key, const std::string& value,
                        const std::string& metadata = "") {
  return fmt::format(
      R"(:::MLLOG {{"namespace": "", "time_ms": {}, "event_type": "POINT_IN_TIME", "key": "{}", )"
      R"("value": {}, "metadata": {{"file": "a.py", "lineno": 1{}{}}}}})"
      "\n",
      static_cast<long>(time_s * 1000), key, value, metadata.empty() ? "" : ", ", metadata);
}

inline std::string count(long samples) {
  return fmt::format(R"("samples_count": {})", samples);
}

inline std::string head(const char* benchmark, long batch, long train_samples) {
  std::string text = line(1, "submission_benchmark", fmt::format("\"{}\"", benchmark)) +
                     line(1, "global_batch_size", std::to_string(batch));
  if (train_samples > 0) text += line(1, "train_samples", std::to_string(train_samples));
  return text + line(10, "run_start", "null");
}

inline std::string throughput(double time_s, double rate) {
  return line(time_s, "tracked_stats", fmt::format(R"({{"throughput": {}}})", rate));
}

using Samples = std::vector<std::int64_t>;

/// Returns the number of samples of each window.
inline Samples samples_of(const LogContent& log) {
  Samples samples;
  for (const contract::StepWindow& window : all<contract::StepWindow>(log.file))
    samples.push_back(window.samples);
  return samples;
}

inline std::string step(int number) {
  return fmt::format(R"("step_num": {})", number);
}

/// Returns the metadata of a block.
inline std::string first_epoch(double first, int epoch_count) {
  return fmt::format(R"("first_epoch_num": {}, "epoch_count": {})", first, epoch_count);
}

/// Returns the metadata of an epoch or of an evaluation.
inline std::string epoch(double number) {
  return fmt::format(R"("epoch_num": {})", number);
}

inline const std::string kSuccess = R"("status": "success")";

inline std::string timed_by(const LogContent& log) {
  return all<contract::RunStart>(log.file)[0].environment.at("timed");
}

}  // namespace dlscale::analysis
