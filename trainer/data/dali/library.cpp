// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/dali/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "base/error.hpp"

namespace dlscale::trainer::dali {
namespace fs = std::filesystem;
namespace {

constexpr const char* kLibrary = "libdali.so";
constexpr const char* kOperators = "libdali_operators.so";

/// Reason why the library at one path cannot be used.
class Unusable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::string value_of(const VariableLookup& environment, const char* name) {
  const char* value = environment(name);
  return value == nullptr ? "" : value;
}

/// Appends the paths of DALI's wheel in a Python installation to `out`, sorted.
void add_site_packages(const fs::path& prefix, std::vector<std::string>& out) {
  std::error_code error;
  std::vector<std::string> found;
  for (fs::directory_iterator it(prefix / "lib", error), end; !error && it != end;
       it.increment(error)) {
    if (!it->path().filename().string().starts_with("python3")) continue;
    for (const char* packages : {"site-packages", "dist-packages"}) {
      const fs::path library = it->path() / packages / "nvidia" / "dali" / kLibrary;
      if (fs::exists(library, error)) found.push_back(library.string());
    }
  }
  std::ranges::sort(found);
  out.insert(out.end(), found.begin(), found.end());
}

/// Returns the parent of the first folder in `path` that contains python3. Returns an empty path
/// when no folder contains python3.
fs::path python_prefix(const std::string& path) {
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const fs::path folder(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
    std::error_code error;
    if (folder.is_absolute() && fs::exists(folder / "python3", error)) return folder.parent_path();
  }
  return {};
}

/// Returns the path at which `tools/setup --dali` keeps the library for this build.
fs::path kept(const VariableLookup& environment) {
  const std::string cache = value_of(environment, "XDG_CACHE_HOME");
  const std::string home = value_of(environment, "HOME");
  if (cache.empty() && home.empty()) return {};
  const fs::path folder = cache.empty() ? fs::path(home) / ".cache" : fs::path(cache);
  // trainer/data/CMakeLists.txt defines this folder name.
  return folder / "dlscale" / DLSCALE_DALI_KEPT_AS / "nvidia" / "dali" / kLibrary;
}

void* open(const std::string& path) {
  ::dlerror();
  // The dynamic loader finds the other libraries of DALI through the RUNPATH of this library.
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Unusable(::dlerror());
  return library;
}

/// Returns the file that contains a function of an open library.
fs::path file_of(void* function) {
  Dl_info info{};
  if (::dladdr(function, &info) == 0 || info.dli_fname == nullptr)
    throw Unusable("has no file name");
  return info.dli_fname;
}

/// Returns the version of DALI that appears in the symbol names of a file. Only messages use this
/// version.
std::string version_in(const fs::path& file) {
  constexpr std::string_view kSymbol = "DALI_", kDigits = "0123456789.";
  std::ifstream in(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  for (std::size_t at = bytes.find(kSymbol); at != bytes.npos; at = bytes.find(kSymbol, at)) {
    at += kSymbol.size();
    const std::size_t end = bytes.find_first_not_of(kDigits, at);
    if (end != bytes.npos && end > at) return bytes.substr(at, end - at);
  }
  return "of an unknown version";
}

std::string version_of(void* library) {
  for (const std::string& version : known_versions()) {
    if (::dlvsym(library, "daliInit", ("DALI_" + version).c_str()) != nullptr) return version;
  }
  void* any = ::dlsym(library, "daliGetLastErrorMessage");
  if (any == nullptr) any = ::dlsym(library, "daliInitialize");
  if (any == nullptr) throw Unusable("is not a libdali: it has no daliInitialize");
  throw Unusable(fmt::format("is DALI {}, whose C API this dlscale does not support",
                             version_in(file_of(any))));
}

template <class Function>
void load_function(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) throw Unusable(fmt::format("lacks {}", name));
}

Functions functions_of(void* library) {
  Functions f{};
  load_function(library, "daliInit", f.Init);
  load_function(library, "daliGetLastErrorMessage", f.GetLastErrorMessage);
  load_function(library, "daliPipelineDeserialize", f.PipelineDeserialize);
  load_function(library, "daliPipelineDestroy", f.PipelineDestroy);
  load_function(library, "daliPipelineBuild", f.PipelineBuild);
  load_function(library, "daliPipelineFeedInput", f.PipelineFeedInput);
  load_function(library, "daliPipelineRun", f.PipelineRun);
  load_function(library, "daliPipelinePopOutputs", f.PipelinePopOutputs);
  load_function(library, "daliPipelineOutputsGet", f.PipelineOutputsGet);
  load_function(library, "daliPipelineOutputsDestroy", f.PipelineOutputsDestroy);
  load_function(library, "daliTensorListCreate", f.TensorListCreate);
  load_function(library, "daliTensorListAttachSamples", f.TensorListAttachSamples);
  load_function(library, "daliTensorListAttachBuffer", f.TensorListAttachBuffer);
  load_function(library, "daliTensorListGetTensorDesc", f.TensorListGetTensorDesc);
  load_function(library, "daliTensorListGetShape", f.TensorListGetShape);
  load_function(library, "daliTensorListDecRef", f.TensorListDecRef);
  return f;
}

Library open_at(const std::string& place) {
  void* const library = open(place);
  Library dali{.path = {}, .version = version_of(library), .call = functions_of(library)};
  const fs::path file = file_of(reinterpret_cast<void*>(dali.call.Init));
  dali.path = file.string();
  open((file.parent_path() / kOperators).string());
  if (dali.call.Init() != kSuccess) {
    throw Unusable(fmt::format("cannot start: {}", dali.call.GetLastErrorMessage()));
  }
  return dali;
}

}  // namespace

std::vector<std::string> known_versions() {
  return {"2.4.0", "2.3.0", "2.1.1"};
}

std::vector<std::string> places(const VariableLookup& environment) {
  const std::string named = value_of(environment, "DLSCALE_DALI_LIBRARY");
  std::error_code error;
  if (!named.empty()) {
    return {fs::is_directory(named, error) ? (fs::path(named) / kLibrary).string() : named};
  }
  std::vector<std::string> all;
  if (const fs::path file = kept(environment); !file.empty()) all.push_back(file.string());
  for (const std::string& prefix :
       {value_of(environment, "VIRTUAL_ENV"), value_of(environment, "CONDA_PREFIX"),
        python_prefix(value_of(environment, "PATH")).string()}) {
    if (!prefix.empty()) add_site_packages(prefix, all);
  }
  all.emplace_back(kLibrary);
  return all;
}

std::variant<Library, Missing> find_library(const VariableLookup& environment) {
  std::vector<std::string> tried;
  for (const std::string& place : places(environment)) {
    try {
      return open_at(place);
    } catch (const Unusable& problem) {
      const std::string_view what = problem.what();
      // The message from dlerror() often starts with the file name.
      tried.push_back(what.starts_with(place) ? std::string(what)
                                              : fmt::format("{}: {}", place, what));
    }
  }
  return Missing{fmt::format(
      "NVIDIA DALI ({}) was not found: {}; run tools/setup --dali, or set DLSCALE_DALI_LIBRARY to "
      "its libdali.so",
      fmt::join(known_versions(), ", "), fmt::join(tried, "; "))};
}

Library open_library(const VariableLookup& environment) {
  auto found = find_library(environment);
  if (const auto* missing = std::get_if<Missing>(&found)) {
    throw base::RunError(missing->why, contract::kExitBadRunDescription);
  }
  return std::get<Library>(std::move(found));
}

}  // namespace dlscale::trainer::dali
