// SPDX-License-Identifier: Apache-2.0
// Defines the interface that each table format implements. To add a format, add a file to this
// folder and its name to analysis/CMakeLists.txt.
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
  /// Returns all tables as one text that ends with a newline. The same tables always give identical
  /// bytes. Cells and notes are escaped as the format requires.
  std::string (*render_tables)(std::span<const Table> tables);

  std::string render(const Report& report) const { return render_tables(report.tables); }
  std::string render_alone(const Table& table) const { return render_tables({&table, 1}); }
};

base::Table<ReportWriter> report_writers();

/// Returns the writer with this name or file extension, such as "markdown" or "md". Throws
/// base::UsageError for an unknown format.
const ReportWriter& find_report_writer(std::string_view name);

}  // namespace dlscale::analysis
