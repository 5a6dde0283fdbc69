// SPDX-License-Identifier: Apache-2.0
// Exports the views of a plan folder's database as files that other programs read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/store/export/view_writer.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

struct ExportFormat {
  const char* name;
  const char* extension;  ///< extension of a view's file; empty: one file holds all views
  const char* summary;
  std::unique_ptr<ViewWriter> (*make)(const std::filesystem::path& target);
  bool is_folder() const { return *extension != '\0'; }
};
std::span<const ExportFormat> export_formats();
/// Returns the format with this name. Throws base::UsageError with the nearest name.
const ExportFormat& find_export_format(std::string_view name);

struct ExportRequest {
  const ExportFormat* format = nullptr;
  std::filesystem::path target;  ///< target folder, or target file of a format with one file
  std::set<std::string> views;   ///< names of views without "_view"; empty: all views
  std::set<std::string> runs;    ///< ids of the runs whose rows are exported
  bool replace = false;          ///< true if existing files may be replaced
};

struct Exported {
  std::filesystem::path file;
  /// Number of rows of each view in the file.
  std::vector<std::pair<std::string, std::size_t>> rows;
};

/// Writes the chosen rows, ordered by run, launch and line. The same database gives the same bytes
/// of text. The files are moved to the target when all of them are complete, and existing files
/// stay untouched until then. Throws base::UsageError for unknown views and for existing files that
/// may not be replaced. Throws base::RunError when the database cannot be read or a file cannot be
/// written.
std::vector<Exported> export_study(const contract::PlanDir& folder, const ExportRequest& request);

}  // namespace dlscale::analysis
