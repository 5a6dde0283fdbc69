// SPDX-License-Identifier: Apache-2.0
#include "trainer/build_info.hpp"

#include "trainer/comm/mpi.hpp"

namespace dlscale::trainer {

std::map<std::string, std::string> built_with() {
  // The macros come from trainer/CMakeLists.txt.
  return {{"torch", DLSCALE_TORCH_VERSION},   {"mpi", mpi_version()},
          {"cuda", DLSCALE_BUILT_CUDA},       {"compiler", DLSCALE_COMPILER},
          {"build_type", DLSCALE_BUILD_TYPE}, {"sanitizer", DLSCALE_SANITIZER}};
}

}  // namespace dlscale::trainer
