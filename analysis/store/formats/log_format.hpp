// SPDX-License-Identifier: Apache-2.0
// One format of what a launch leaves behind. A new format is one file here, one word in
// analysis/CMakeLists.txt and its name in contract/vocabulary.cpp.
#pragma once

#include <string_view>

#include "base/registry.hpp"
#include "contract/result_record.hpp"
#include "contract/run_spec.hpp"

namespace dlscale::analysis {

struct LogFormat {
  const char* name;
  const char* summary;
  const char* file;  ///< in the launch folder
  bool needs_run;    ///< the run tells what such logs leave out: world size, global batch
  /// The file's text as the records dlscale-train would have written; never throws on content.
  contract::ResultsFile (*read)(std::string_view text, const contract::RunSpec& run);
};

base::Table<LogFormat> log_formats();

}  // namespace dlscale::analysis
