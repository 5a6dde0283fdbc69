// SPDX-License-Identifier: Apache-2.0
// One format of what a training run leaves behind. A new format is one file here and one word in
// analysis/CMakeLists.txt; one that a study may name as its trainer's also stands in
// contract/vocabulary.cpp.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/registry.hpp"
#include "contract/result_record.hpp"
#include "contract/run_spec.hpp"

namespace dlscale::analysis {

/// What a log says, as the records dlscale-train would have written.
struct LogContent {
  /// Of the run, as axes and values: framework, model, dataset, precision, gpus, nodes,
  /// batch_per_gpu, global_batch, …; what the log does not say is absent.
  std::map<std::string, std::string> facts;
  contract::ResultsFile file;
};

struct LogFormat {
  const char* name;
  const char* summary;
  /// What its samples/s mean: of one rank or all, with waiting for data or without, which steps
  /// are left out.
  const char* rates;
  const char* file;  ///< in the launch folder of own runs; "" for formats of foreign files alone
  bool needs_run;    ///< the run tells what such logs leave out: world size, global batch
  /// Whether a file with this beginning (64 KiB at most) is certainly of this format.
  bool (*recognises)(std::string_view head);
  /// Never throws on content. What stands in no line has record line 0.
  LogContent (*read)(std::string_view text, const contract::RunSpec& run);
};

base::Table<LogFormat> log_formats();

}  // namespace dlscale::analysis
