// SPDX-License-Identifier: Apache-2.0
#include "contract/plan/run_dir.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"

namespace dlscale::contract {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kLaunchPrefix = "launch-";
constexpr std::string_view kSavePrefix = "save-";

/// Returns k for a folder called <prefix><k>, or 0 if the name has another form.
int number_after(std::string_view prefix, const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (!name.starts_with(prefix)) return 0;
  const std::string_view number = std::string_view(name).substr(prefix.size());
  return std::max(base::number_of<int>(number).value_or(0), 0);
}

/// Returns the folders in `parent` whose names end with a number above 0, sorted by number.
template <class Dir>
std::vector<Dir> numbered(const fs::path& parent) {
  std::vector<Dir> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(parent, ignored)) {
    if (Dir dir(entry.path()); dir.number() > 0) found.push_back(dir);
  }
  std::sort(found.begin(), found.end(),
            [](const Dir& a, const Dir& b) { return a.number() < b.number(); });
  return found;
}

}  // namespace

int CheckpointDir::number() const {
  return number_after(kSavePrefix, root_);
}

CheckpointDir LaunchDir::saved(int n) const {
  return CheckpointDir(checkpoint() / fmt::format("{}{}", kSavePrefix, n));
}

std::vector<CheckpointDir> LaunchDir::all_saved() const {
  return numbered<CheckpointDir>(checkpoint());
}

int LaunchDir::number() const {
  return number_after(kLaunchPrefix, root_);
}

LaunchDir RunDir::launch(int k) const {
  return LaunchDir(root_ / (std::string(kLaunchPrefix) + std::to_string(k)));
}

std::vector<LaunchDir> RunDir::launches() const {
  return numbered<LaunchDir>(root_);
}

LaunchDir RunDir::make_next_launch() const {
  const std::vector<LaunchDir> existing = launches();
  for (int k = existing.empty() ? 1 : existing.back().number() + 1;; ++k) {
    const LaunchDir next = launch(k);
    if (::mkdir(next.root().c_str(), 0777) == 0) return next;
    if (errno != EEXIST) {
      throw base::RunError(
          fmt::format("cannot make folder {}: {}", next.root().string(), std::strerror(errno)));
    }
  }
}

fs::path PlanDir::job_script(std::string_view job) const {
  return jobs() / script_name(std::string(job));
}
fs::path PlanDir::run_table(std::string_view table) const {
  return jobs() / fmt::format("{}.runs", table);
}
fs::path PlanDir::array_parameters(std::string_view job) const {
  return jobs() / fmt::format("{}.params", job);
}
fs::path PlanDir::job_out(std::string_view job) const {
  return logs() / fmt::format("{}.out", job);
}
fs::path PlanDir::job_err(std::string_view job) const {
  return logs() / fmt::format("{}.err", job);
}
fs::path PlanDir::run_out(std::string_view run_id) const {
  return job_out(run_id);
}
fs::path PlanDir::run_err(std::string_view run_id) const {
  return job_err(run_id);
}
fs::path PlanDir::run_notes(std::string_view run_id) const {
  return logs() / fmt::format("{}.end", run_id);
}

}  // namespace dlscale::contract
