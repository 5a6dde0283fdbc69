// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/noted_ends.hpp"

#include <algorithm>
#include <filesystem>

#include "base/file.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

/// The files, sorted by name, and whether the runner wrote them.
std::vector<std::pair<fs::path, bool>> files_of(const contract::PlanDir& folder) {
  std::vector<fs::path> scripts;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder.logs(), ignored)) {
    if (entry.path().extension() == ".end") scripts.push_back(entry.path());
  }
  std::sort(scripts.begin(), scripts.end());
  std::vector<std::pair<fs::path, bool>> files;
  if (fs::exists(folder.launch_log())) files.emplace_back(folder.launch_log(), true);
  for (fs::path& file : scripts) files.emplace_back(std::move(file), false);
  return files;
}

}  // namespace

NotedEnds read_ends(const contract::Plan& plan, const contract::PlanDir& folder) {
  std::map<std::string, const contract::PlannedJob*> jobs;
  for (const contract::PlannedJob& job : plan.jobs) jobs[job.name] = &job;
  NotedEnds ends;
  using Scope = EndRecord::Scope;
  for (const auto& [path, by_runner] : files_of(folder)) {
    const std::string source = path.lexically_relative(folder.root()).generic_string();
    for (const auto& record : contract::parse_launch_log(base::read_file(path))) {
      if (record.event != "ended") continue;
      const Scope said = by_runner ? Scope::Run : Scope::Script;
      const auto job = jobs.find(record.job);
      if (!record.run_id.empty()) {
        ends[record.run_id].push_back({said, source, record});
      } else if (job != jobs.end()) {
        // The end of a job that runs one thing is the end of that thing.
        const bool alone = job->second->run_ids.size() == 1;
        for (const std::string& run_id : job->second->run_ids) {
          ends[run_id].push_back({alone ? said : Scope::Job, source, record});
        }
      }
    }
  }
  return ends;
}

}  // namespace dlscale::analysis
