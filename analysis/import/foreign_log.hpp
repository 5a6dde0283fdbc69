// SPDX-License-Identifier: Apache-2.0
// Finds the third-party logs to import and reads facts about a run from files next to its log.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/import/mapped/mapped_format.hpp"
#include "analysis/import/skipped_log.hpp"

namespace dlscale::analysis {

// Facts about a run that the log of the run omits. They come from files next to the log.

/// Reads facts about a run from files next to its log. Files of any other kind or form are ignored.
/// - "benchmark.para" in the log's folder (lambdal/deeplearning-benchmark: "GPU 8",
///   "GLOBAL_BATCH 2560") states gpus and global_batch.
/// - The system description of MLPerf Training results (systems/SYSTEM.json for
///   results/SYSTEM/BENCHMARK/LOG, see submission_rules in training_policies) states the number of
///   accelerators (stored as gpus), the model of the accelerators (stored as gpu) and the number of
///   nodes (stored as nodes).
AxisValues facts_beside(const std::filesystem::path& log);

// Functions that find third-party logs.

struct ForeignLog {
  std::filesystem::path path;  ///< absolute path
  std::string shown;           ///< path of the log as the user wrote it
  bool named = false;          ///< true if the user named the file and not a folder
  std::size_t above = 0;       ///< number of characters of `shown` in front of the named folder
};

/// Returns the absolute path without the components "." and ".." and without a trailing slash.
std::filesystem::path whole_path(const std::filesystem::path& path);

/// Returns the named files and all files below the named folders, each file once, in natural order
/// (run2 before run10).
/// Excludes `except` and everything below it. Entries of a folder that are not files (pipes, broken
/// links, links to folders) and unreadable folders are added to `skipped`. Throws base::UsageError
/// for an argument that is neither a file nor a folder, and for a named folder that cannot be read
/// or that lies in `except`.
std::vector<ForeignLog> find_logs(const std::vector<std::string>& arguments,
                                  const std::filesystem::path& except,
                                  std::vector<SkippedLog>& skipped);

/// Returns the reason if a path is neither a file nor a folder, for example "is a pipe, not a file"
/// or "is a link to a missing file". If the path cannot be examined, the reason is the error
/// message of the system. Returns an empty text for files, for folders and for paths that do not
/// exist.
std::string oddity_of(const std::filesystem::path& path);

/// Size and modification time of a file. A comparison of two stamps shows whether the file has
/// changed.
struct FileStamp {
  std::int64_t size = -1;  ///< size in bytes; -1: the file does not exist
  std::int64_t mtime_ns = 0;
  bool operator==(const FileStamp&) const = default;
};
FileStamp stamp_of(const std::filesystem::path& path);

}  // namespace dlscale::analysis
