// SPDX-License-Identifier: Apache-2.0
// Files that other programs left: which there are, and what files beside a log say of its run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/import/mapped_format.hpp"
#include "analysis/import/skipped_log.hpp"

namespace dlscale::analysis {

// What files beside a log say of its run, where the log leaves it out.

/// From "benchmark.para" in the log's folder (lambdal/deeplearning-benchmark: "GPU 8",
/// "GLOBAL_BATCH 2560") gpus and global_batch; from the system description of MLPerf Training
/// results (results/SYSTEM/BENCHMARK/LOG has systems/SYSTEM.json: training_policies,
/// submission_rules) gpus, as accelerators, and nodes. Files that are otherwise say nothing.
AxisValues facts_beside(const std::filesystem::path& log);

// Files that other programs left: which there are.

struct ForeignLog {
  std::filesystem::path path;  ///< absolute
  std::string shown;           ///< as the user named it, or the folder it lies in
  bool named = false;          ///< itself, not the folder
  std::size_t above = 0;       ///< characters of `shown` that lie above the folder that was named
};

/// Absolute, without "." and ".." in it and without a slash behind it.
std::filesystem::path whole_path(const std::filesystem::path& path);

/// The files that are meant: those named, and all below the folders named, in natural order (run2
/// before run10), each once. `except` is left out, with all below it. What else below a folder is
/// no file (a pipe, a link to nothing or to a folder) or cannot be looked into is put into
/// `skipped`. Throws base::UsageError for a name that is no file or folder, or such a folder.
std::vector<ForeignLog> find_logs(const std::vector<std::string>& arguments,
                                  const std::filesystem::path& except,
                                  std::vector<SkippedLog>& skipped);

/// What stands under a name in place of a file: "is a pipe, not a file", "is a link to what is not
/// there", or why that cannot be told. Empty of files and folders, and where there is nothing.
std::string oddity_of(const std::filesystem::path& path);

/// What tells that a file is as it was.
struct FileStamp {
  std::int64_t size = -1;  ///< bytes; -1: there is no such file
  std::int64_t mtime_ns = 0;
  bool operator==(const FileStamp&) const = default;
};
FileStamp stamp_of(const std::filesystem::path& path);

}  // namespace dlscale::analysis
