// SPDX-License-Identifier: Apache-2.0
// A study as its records alone have it, whatever the plan folder's database says, in a temporary
// folder.
#pragma once

#include <filesystem>

#include "workspace/chosen_study.hpp"

namespace dlscale::workspace {

// A temporary folder that is deleted with the object that made it.

class ScratchFolder {
 public:
  /// Throws base::RunError where no folder can be made.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// A study as its records alone have it, whatever the plan folder's database says.

/// Reads all records of the folder into a database elsewhere; the plan folder does not change.
/// Throws as require_readable_records and open_study do.
ChosenStudy study_from_records(const StudyChoice& choice);

}  // namespace dlscale::workspace
