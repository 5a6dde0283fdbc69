// SPDX-License-Identifier: Apache-2.0
// Exports the views (SQL views of the measurements) of a plan folder's database to files for other
// programs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
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
  const char* extension;  ///< extension of the file of a view; empty if one file holds all views
  const char* summary;
  std::unique_ptr<ViewWriter> (*make)(const std::filesystem::path& target);
  /// True if `make` writes a SQLite file, from which ExportRequest::convert makes the files.
  bool is_converted = false;
  bool is_folder() const { return *extension != '\0'; }
};
std::span<const ExportFormat> export_formats();
/// Returns the format with this name. Throws base::UsageError for an unknown name. The message
/// suggests the most similar name.
const ExportFormat& find_export_format(std::string_view name);

struct ExportRequest {
  const ExportFormat* format = nullptr;
  std::filesystem::path target;  ///< target folder, or target file if the format has a single file
  std::set<std::string> views;  ///< names of the views to export, without "_view"; empty: all views
  std::set<std::string> runs;   ///< ids of the runs whose rows are exported
  bool replace = false;         ///< true if existing files may be replaced
  /// Converts each table of the SQLite file `tables` to the file folder/<table><extension>. Formats
  /// with is_converted require this function. Other formats ignore it.
  std::function<void(const std::filesystem::path& tables, const std::filesystem::path& folder)>
      convert = {};
};

struct Exported {
  std::filesystem::path file;
  /// Views that the file contains, with the number of rows of each.
  std::vector<std::pair<std::string, std::size_t>> rows;
};

/// Writes the rows of the requested runs and views, ordered by run, launch and line. The same
/// database always gives identical text files. The files are written to a temporary folder and
/// moved to the target when all of them are complete. Throws base::UsageError for unknown views and
/// for existing files that may not be replaced. Throws base::RunError if the database cannot be
/// read or a file cannot be written.
std::vector<Exported> export_study(const contract::PlanDir& folder, const ExportRequest& request);

}  // namespace dlscale::analysis
