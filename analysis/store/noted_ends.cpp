// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/noted_ends.hpp"

#include <algorithm>
#include <filesystem>

#include "analysis/import/foreign_log.hpp"
#include "base/error.hpp"
#include "base/file.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

struct EndFile {
  fs::path path;
  std::string name;  ///< from the plan folder
  bool by_runner = false;
};

/// The files, sorted by name, each looked at before it is read.
std::vector<EndFile> files_of(const contract::PlanDir& folder, SeenFiles& seen,
                              std::vector<std::string>& problems) {
  const auto relative = [&](const fs::path& path) {
    return path.lexically_relative(folder.root()).generic_string();
  };
  const std::string logs = relative(folder.logs());
  std::vector<std::string> scripts;
  std::error_code ignored;
  if (seen.exists(logs)) {
    for (const auto& entry : fs::directory_iterator(folder.logs(), ignored)) {
      std::string name = entry.path().filename().string();
      if (!name.ends_with(".end") || name == ".end") continue;
      if (entry.is_regular_file(ignored)) {
        scripts.push_back(std::move(name));
      } else {
        const std::string odd = oddity_of(entry.path());
        problems.push_back(logs + "/" + name + ": " + (odd.empty() ? "is a folder" : odd));
      }
    }
  }
  std::sort(scripts.begin(), scripts.end());
  std::vector<EndFile> files;
  const std::string launch_log = relative(folder.launch_log());
  if (seen.exists(launch_log)) files.push_back({folder.launch_log(), launch_log, true});
  for (const std::string& name : scripts) {
    files.push_back({folder.logs() / name, logs + "/" + name});
    seen.look(files.back().name);
  }
  return files;
}

std::vector<contract::LaunchRecord> records_in(const EndFile& file, SeenFiles& seen,
                                               std::vector<std::string>& problems) {
  try {
    return contract::parse_launch_log(base::read_file(file.path));
  } catch (const base::Error& error) {  // one file must not keep the others out
    seen.distrust(file.name);
    problems.push_back(std::string(error.what()) + "; collect again when it can be read");
    return {};
  }
}

}  // namespace

NotedEnds read_ends(const contract::Plan& plan, const contract::PlanDir& folder, SeenFiles& seen,
                    std::vector<std::string>& problems) {
  std::map<std::string, const contract::PlannedJob*> jobs;
  for (const contract::PlannedJob& job : plan.jobs) jobs[job.name] = &job;
  NotedEnds ends;
  using Scope = EndRecord::Scope;
  for (const EndFile& file : files_of(folder, seen, problems)) {
    const auto& [path, source, by_runner] = file;
    for (const auto& record : records_in(file, seen, problems)) {
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
