// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/job_environment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <sstream>

#include "base/file.hpp"
#include "planner/site/site_reader.hpp"
#include "workspace/jobs/program_path.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

/// Library that the trainer loads for MPI. All versions of Open MPI since 4.0 have this name.
constexpr const char* kMpiLibrary = "libmpi.so.40";

constexpr const char* kHowToKeep =
    "keep_environment in the site file keeps variables that jobs need";

}  // namespace

void use_mpirun_of_trainer(runner::Environment& variables, const fs::path& programs) {
  if (!fs::exists(programs / "mpirun")) return;
  const auto searched = variables.find("LD_LIBRARY_PATH");
  std::istringstream folders(searched == variables.end() ? "" : searched->second);
  for (std::string folder; std::getline(folders, folder, ':');) {
    // The trainer loads the MPI library from this folder, so the mpirun of this library must start
    // the ranks.
    if (!folder.empty() && fs::exists(fs::path(folder) / kMpiLibrary)) return;
  }
  std::string& path = variables["PATH"];
  path = programs.string() + (path.empty() ? "" : ":" + path);
}

runner::CleanEnvironment job_environment(const planner::Site& site) {
  runner::CleanEnvironment environment =
      runner::clean_environment(runner::own_environment(), site.scheduler, site.keep_environment);
  if (site.scheduler == "local") {
    use_mpirun_of_trainer(environment.variables, program_path().parent_path());
  }
  return environment;
}

runner::CleanEnvironment job_environment(const contract::PlanDir& folder,
                                         const std::string& scheduler) {
  const std::filesystem::path file = folder.site_toml();
  if (std::filesystem::exists(file)) {
    return job_environment(planner::read_site(base::read_file(file), file));
  }
  return runner::clean_environment(runner::own_environment(), scheduler, {});
}

std::string removed_variables_line(const std::vector<std::string>& removed) {
  if (removed.empty()) return "";
  return fmt::format("removed from the environment: {} ({})\n", fmt::join(removed, ", "),
                     kHowToKeep);
}

Check check_environment(const std::vector<std::string>& removed) {
  if (removed.empty()) {
    return ok("environment", "no variables of a surrounding job or of SLURM commands are set");
  }
  return warn(
      "environment",
      fmt::format("variables that are set here and removed for jobs: {}", fmt::join(removed, ", ")),
      kHowToKeep);
}

}  // namespace dlscale::workspace
