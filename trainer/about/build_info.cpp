// SPDX-License-Identifier: Apache-2.0
#include "trainer/about/build_info.hpp"

#include "trainer/comm/mpi.hpp"
#include "trainer/data/dali/dali_loader.hpp"
#include "trainer/device/device.hpp"

namespace dlscale::trainer {
namespace {

bool has_cuda() {
  return base::find(device_table(), "device", "cuda").unavailable == nullptr;
}

}  // namespace

std::map<std::string, std::string> built_with() {
  // The macros come from trainer/CMakeLists.txt.
  return {{"torch", DLSCALE_TORCH_VERSION},    {"mpi", mpi_version()},
          {"cuda", has_cuda() ? "yes" : "no"}, {"compiler", DLSCALE_COMPILER},
          {"build_type", DLSCALE_BUILD_TYPE},  {"sanitizer", DLSCALE_SANITIZER}};
}

std::string dali_here() {
  return dali::describe_library();
}

}  // namespace dlscale::trainer
