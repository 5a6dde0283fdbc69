// SPDX-License-Identifier: Apache-2.0
// Functions that read test logs of any format and sum up the records.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/import/reading/launcher_prefix.hpp"
#include "analysis/import/reading/log_format.hpp"
#include "base/file.hpp"
#include "tests/support/records.hpp"
#include "tests/support/skip.hpp"

namespace dlscale::analysis {

using test::all;

inline contract::RunSpec run_of(int gpus, std::int64_t batch_per_gpu) {
  contract::RunSpec run{.run_id = "r"};
  run.gpus = gpus;
  run.batch_per_gpu = batch_per_gpu;
  run.global_batch = batch_per_gpu * gpus;
  return run;
}

/// Reads a log in the same way as `dlscale collect`, which first removes launcher prefixes.
inline LogContent read_log(const char* format, std::string_view text,
                           const contract::RunSpec& run = run_of(1, 64)) {
  const std::string bare = without_launcher_prefixes(std::string(text));
  return base::find(log_formats(), "log format", format).read(bare, run);
}

/// Returns the total samples divided by the total time of all windows without warm-up. Returns
/// nothing if there are no such windows.
inline std::optional<double> rate_of(const LogContent& log) {
  double samples = 0, wall_s = 0;
  for (const auto& window : all<contract::StepWindow>(log.file)) {
    if (window.warmup || !(window.wall_s > 0)) continue;
    samples += static_cast<double>(window.samples);
    wall_s += window.wall_s;
  }
  return wall_s > 0 ? std::optional(samples / wall_s) : std::nullopt;
}

inline bool completed(const LogContent& log) {
  const auto stops = all<contract::RunStop>(log.file);
  return stops.size() == 1 && stops[0].outcome == contract::RunOutcome::Completed;
}

/// Returns the content of a file below DLSCALE_TEST_DATA. If this variable is not set, the test is
/// skipped.
inline std::optional<std::string> real_log(const std::string& file) {
  const char* data = std::getenv("DLSCALE_TEST_DATA");
  if (data == nullptr) {
    test::skip("DLSCALE_TEST_DATA names no folder with " + file);
    return std::nullopt;
  }
  return base::read_file(std::string(data) + "/" + file);
}

}  // namespace dlscale::analysis
