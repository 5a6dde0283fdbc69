// SPDX-License-Identifier: Apache-2.0
// One format of tables. A new format is one file here and one word in analysis/CMakeLists.txt.
#pragma once

#include <string>
#include <string_view>

#include "analysis/report/report.hpp"
#include "base/registry.hpp"

namespace dlscale::analysis {

struct ReportWriter {
  const char* name;
  const char* summary;
  const char* extension;  ///< of its files, without the dot
  /// The whole text with a final newline; the same bytes for the same report. Whatever the cells
  /// and notes hold is escaped.
  std::string (*render)(const Report& report);
};

base::Table<ReportWriter> report_writers();

/// By name or by file extension ("markdown" or "md"). Throws base::UsageError.
const ReportWriter& find_report_writer(std::string_view name);

}  // namespace dlscale::analysis
