// SPDX-License-Identifier: Apache-2.0
#include "cli/earlier_plans.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cli/plan_folder.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;

std::string runs_left_out(const contract::Plan& plan, const contract::PlanDir& folder) {
  if (!fs::is_regular_file(folder.plan_json())) return {};
  std::unordered_set<std::string_view> planned;
  for (const contract::PlannedRun& run : plan.runs) planned.insert(run.run_id);
  const contract::Plan before = contract::read_plan(folder);
  const auto more =
      std::count_if(before.runs.begin(), before.runs.end(),
                    [&](const contract::PlannedRun& run) { return !planned.contains(run.run_id); });
  if (before.study != plan.study || more == 0) return {};
  return fmt::format(
      "the folder's plan had {} more run{}; the files stay, and planning without a selection lists "
      "all again\n",
      more, more == 1 ? "" : "s");
}

std::string scripts_left_over(const contract::Plan& plan, const contract::PlanDir& folder) {
  constexpr std::size_t kShown = 3;
  if (!fs::is_directory(folder.jobs())) return {};
  std::unordered_set<std::string> own;
  for (const contract::PlannedJob& job : plan.jobs) {
    own.insert(contract::PlanDir::script_name(job.name));
  }
  std::vector<std::string> others;
  for (const auto& entry : fs::directory_iterator(folder.jobs())) {
    const fs::path name = entry.path().filename();
    if (name.extension() == ".sh" && !own.contains(name)) others.push_back(name);
  }
  if (others.empty()) return {};
  const std::size_t shown = std::min(kShown, others.size());
  std::partial_sort(others.begin(), others.begin() + std::ptrdiff_t(shown), others.end());
  const std::string more = others.size() > shown ? ", …" : "";
  const std::size_t count = others.size();
  others.resize(shown);
  return fmt::format("{} in {} {} of earlier plans: {}{}, not part of this one\n",
                     count == 1 ? "1 script" : fmt::format("{} scripts", count),
                     (folder.jobs() / "").string(), count == 1 ? "is" : "are",
                     fmt::join(others, ", "), more);
}

}  // namespace dlscale::cli
