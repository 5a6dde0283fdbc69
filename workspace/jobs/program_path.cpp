// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/program_path.hpp"

#include <sys/auxv.h>

#include "base/error.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;

fs::path program_path() {
  std::error_code error;
  fs::path path = fs::read_symlink("/proc/self/exe", error);
  if (!error) return path;
  // Containers and chroots may lack /proc. The kernel also passes the path to each new program.
  const auto* const started_as = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  if (started_as != nullptr) path = fs::canonical(started_as, error);
  if (started_as == nullptr || error) {
    throw base::RunError("cannot find the path of this program without /proc; mount /proc");
  }
  return path;
}

}  // namespace dlscale::workspace
