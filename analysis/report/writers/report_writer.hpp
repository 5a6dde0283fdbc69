// SPDX-License-Identifier: Apache-2.0
// Defines the interface of one table format. A new format is one file in this folder and one word
// in analysis/CMakeLists.txt.
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
  const char* extension;  ///< file extension without the dot
  /// Returns the whole text with a final newline. The same tables give the same bytes. The contents
  /// of cells and notes are escaped.
  std::string (*render_tables)(std::span<const Table> tables);

  std::string render(const Report& report) const { return render_tables(report.tables); }
  std::string render_alone(const Table& table) const { return render_tables({&table, 1}); }
};

base::Table<ReportWriter> report_writers();

/// Returns the writer with this name or file extension ("markdown" or "md"). Throws
/// base::UsageError for an unknown format.
const ReportWriter& find_report_writer(std::string_view name);

}  // namespace dlscale::analysis
