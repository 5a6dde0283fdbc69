// SPDX-License-Identifier: Apache-2.0
// One format of tables. A new format is one file here and one word in analysis/CMakeLists.txt.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analysis/report/report.hpp"
#include "base/registry.hpp"

namespace dlscale::analysis {

struct ReportWriter {
  const char* name;
  const char* summary;
  const char* extension;  ///< of its files, without the dot
  /// The whole text with a final newline; the same bytes for the same tables. Whatever the cells
  /// and notes hold is escaped.
  std::string (*text_of)(std::span<const Table> tables);

  std::string render(const Report& report) const { return text_of(report.tables); }
  std::string render_alone(const Table& table) const { return text_of({&table, 1}); }
};

base::Table<ReportWriter> report_writers();

/// By name or by file extension ("markdown" or "md"). Throws base::UsageError.
const ReportWriter& find_report_writer(std::string_view name);

}  // namespace dlscale::analysis
