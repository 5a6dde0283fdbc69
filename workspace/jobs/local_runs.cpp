// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/local_runs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include "base/error.hpp"
#include "planner/site/run_paths.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

constexpr const char* kLocalScheduler = "local";

bool is_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((fs::path(folder) / name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace

void require_runnable_here(const planner::Planning& planning) {
  const planner::Site& site = planning.site;
  if (site.scheduler != kLocalScheduler) {
    throw base::UsageError(
        fmt::format("dlscale run works only on this machine, but site {} has the scheduler {}; use "
                    "dlscale plan --site {}, dlscale submit and dlscale wait",
                    site.name, site.scheduler, site.name));
  }
  const bool is_external = !planning.study.trainer.command.empty();
  if (!is_external && !is_program(site.trainer)) {
    throw base::UsageError(fmt::format(
        "trainer {} not found: install the trainer (pip install 'dlscale[train]'), build it (cmake "
        "-DDLSCALE_TRAINER=ON) or set `trainer` in the site file; a study of your own script "
        "(docs/your-script.md) needs no trainer",
        site.trainer));
  }
  for (std::size_t i = 0; i < planning.plan.runs.size(); ++i) {
    const contract::RunSpec run = planning.run(i);
    for (const auto& [key, prefix, path] : planner::paths_of(run)) {
      for (const std::string& variable : planner::variables_in(path)) {
        if (std::getenv(variable.c_str()) != nullptr) continue;
        throw base::UsageError(
            fmt::format("{0} is {1}{2}, but ${3} is not set; export ${3}, or use -S {0}={1}PATH",
                        key, prefix, path, variable));
      }
    }
  }
}

std::vector<runner::RunReport> last_ends(const runner::LaunchReport& report) {
  std::map<std::string, std::size_t> last;
  for (std::size_t i = 0; i < report.ended.size(); ++i) last[report.ended[i].run_id] = i;
  std::vector<runner::RunReport> ends;
  for (std::size_t i = 0; i < report.ended.size(); ++i) {
    if (last.at(report.ended[i].run_id) == i) ends.push_back(report.ended[i]);
  }
  return ends;
}

}  // namespace dlscale::workspace
