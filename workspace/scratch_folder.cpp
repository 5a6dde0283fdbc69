// SPDX-License-Identifier: Apache-2.0
#include "workspace/scratch_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.hpp"

namespace dlscale::workspace {

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "dlscale-verify-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw base::RunError(fmt::format("{}: {}", name, std::strerror(errno)));
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace dlscale::workspace
