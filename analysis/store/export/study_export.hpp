// SPDX-License-Identifier: Apache-2.0
// The views of a plan folder's database as files that other programs read.
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
  const char* extension;  ///< of a view's file; empty: all views are one file
  const char* summary;
  std::unique_ptr<ViewWriter> (*make)(const std::filesystem::path& target);
  bool is_folder() const { return *extension != '\0'; }
};
std::span<const ExportFormat> export_formats();
/// Throws base::UsageError with the nearest name.
const ExportFormat& find_export_format(std::string_view name);

struct ExportRequest {
  const ExportFormat* format = nullptr;
  std::filesystem::path target;  ///< a folder, or the file of a format with one
  std::set<std::string> views;   ///< without "_view"; empty: all
  std::set<std::string> runs;    ///< ids; rows of others are left out
  bool replace = false;          ///< files that are there
};

struct Exported {
  std::filesystem::path file;
  /// How many rows each view has in it.
  std::vector<std::pair<std::string, std::size_t>> rows;
};

/// Writes the chosen rows, ordered by run, launch and line: the same database gives the same bytes
/// of text. All files appear when all are whole; before that nothing of what was there is touched.
/// Throws base::UsageError for unknown views and for files that are there and may not be replaced,
/// base::RunError when the database cannot be read or something cannot be written.
std::vector<Exported> export_study(const contract::PlanDir& folder, const ExportRequest& request);

}  // namespace dlscale::analysis
