// SPDX-License-Identifier: Apache-2.0
// Reads a study from its records in a temporary folder. The database of the plan folder is not
// used.
#pragma once

#include <filesystem>

#include "workspace/chosen_study.hpp"

namespace dlscale::workspace {

/// Temporary folder. The destructor deletes the folder.
class ScratchFolder {
 public:
  /// Creates the folder. Throws base::RunError if no folder can be created.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The following function opens a study from its records only.

/// Selects whether the rows of runs contain their peak memory, which takes time to read. The peak
/// memory is not read for a choice with several sources.
enum class PeakMemory { skip, read };

/// Reads all records of each plan folder into a database in another folder. The plan folders do not
/// change. Throws what require_readable_records and open_study throw.
ChosenStudy study_from_records(const StudyChoice& choice, PeakMemory memory = PeakMemory::skip);

}  // namespace dlscale::workspace
