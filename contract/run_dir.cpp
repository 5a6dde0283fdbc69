// SPDX-License-Identifier: Apache-2.0
#include "contract/run_dir.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>

#include "base/error.hpp"

namespace dlscale::contract {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kLaunchPrefix = "launch-";

}  // namespace

int LaunchDir::number() const {
  const std::string name = root_.filename().string();
  if (name.rfind(kLaunchPrefix, 0) != 0) return 0;
  int k = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + kLaunchPrefix.size(), end, k);
  return error == std::errc() && stop == end && k > 0 ? k : 0;
}

LaunchDir RunDir::launch(int k) const {
  return LaunchDir(root_ / (std::string(kLaunchPrefix) + std::to_string(k)));
}

std::vector<LaunchDir> RunDir::launches() const {
  std::vector<LaunchDir> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(root_, ignored)) {
    if (LaunchDir launch(entry.path()); launch.number() > 0) found.push_back(launch);
  }
  std::sort(found.begin(), found.end(),
            [](const LaunchDir& a, const LaunchDir& b) { return a.number() < b.number(); });
  return found;
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
fs::path PlanDir::job_end(std::string_view job) const {
  return logs() / fmt::format("{}.end", job);
}

}  // namespace dlscale::contract
