// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/job_environment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "base/file.hpp"
#include "planner/site/site_reader.hpp"

namespace dlscale::workspace {
namespace {

constexpr const char* kHowToKeep =
    "keep_environment in the site file keeps variables that jobs need";

}  // namespace

runner::CleanEnvironment job_environment(const planner::Site& site) {
  return runner::clean_environment(runner::own_environment(), site.scheduler,
                                   site.keep_environment);
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
