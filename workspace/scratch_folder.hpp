// SPDX-License-Identifier: Apache-2.0
// A temporary folder that is deleted with the object that made it.
#pragma once

#include <filesystem>

namespace dlscale::workspace {

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

}  // namespace dlscale::workspace
