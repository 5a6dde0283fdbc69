// SPDX-License-Identifier: Apache-2.0
#include "trainer/about/libraries.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>

#include "base/error.hpp"

namespace dlscale::trainer {
namespace {

/// Returns the version of the LibTorch that this process has loaded, or an empty string if the
/// library lacks the function that returns it (before version 2.9). The function belongs to
/// LibTorch's stable C interface and stores the version in the three highest bytes of its result.
/// The version macros of LibTorch's headers give the version at compile time only.
std::string loaded_torch() {
  using VersionFunction = std::uint64_t (*)();
  constexpr unsigned kMajorShift = 56, kMinorShift = 48, kPatchShift = 40, kByte = 0xff;
  const auto function =
      reinterpret_cast<VersionFunction>(::dlsym(RTLD_DEFAULT, "aoti_torch_abi_version"));
  if (function == nullptr) return "";
  const std::uint64_t version = function();
  return fmt::format("{}.{}.{}", version >> kMajorShift & kByte, version >> kMinorShift & kByte,
                     version >> kPatchShift & kByte);
}

/// Returns the first two numbers of a version, for example "2.11" for "2.11.0".
std::string minor_version(const std::string& version) {
  return version.substr(0, version.find('.', version.find('.') + 1));
}

}  // namespace

std::string mpi_library() {
  Dl_info info{};
  void* const function = ::dlsym(RTLD_DEFAULT, "MPI_Get_library_version");
  if (function == nullptr || ::dladdr(function, &info) == 0) return "unknown";
  return std::filesystem::path(info.dli_fname).lexically_normal().string();
}

std::string torch_mismatch(const std::string& built, const std::string& loaded) {
  if (minor_version(built) == minor_version(loaded)) return "";
  const std::string version = loaded.empty() ? "an earlier LibTorch" : "LibTorch " + loaded;
  return fmt::format(
      "this trainer was built with LibTorch {}, but loaded {}; install the trainer into an "
      "environment of its own, or run: pip install 'torch=={}.*'",
      built, version, minor_version(built));
}

void require_built_torch() {
  const std::string mismatch = torch_mismatch(DLSCALE_TORCH_VERSION, loaded_torch());
  if (!mismatch.empty()) throw base::RunError(mismatch);
}

}  // namespace dlscale::trainer
