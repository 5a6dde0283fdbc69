// SPDX-License-Identifier: Apache-2.0
#include "workspace/runs/named_runs.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "runner/status/run_states.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

using Runs = std::vector<const contract::PlannedRun*>;

template <class Predicate>
Runs runs_where(const contract::Plan& plan, Predicate holds) {
  Runs found;
  for (const contract::PlannedRun& run : plan.runs) {
    if (holds(run.run_id)) found.push_back(&run);
  }
  return found;
}

[[noreturn]] void refuse_ambiguous(const std::string& name, const Runs& found) {
  throw base::UsageError(fmt::format(
      "{} runs begin with {}: {}, {}{}; say more of it, or '{}*' for all of them", found.size(),
      name, found[0]->run_id, found[1]->run_id, found.size() > 2 ? ", …" : "", name));
}

}  // namespace

NamedRuns::NamedRuns(std::vector<std::string> words) : names(std::move(words)) {
  const auto holds_plan = [](const std::string& word) {
    return fs::exists(contract::PlanDir(fs::path(word)).plan_json());
  };
  if (names.empty()) return;
  if (holds_plan(names.front())) {
    folder = contract::PlanDir(fs::path(names.front()));
    names.erase(names.begin());
  } else if (!holds_plan(".")) {
    throw base::UsageError(fmt::format(
        "no plan.json in {0}, nor in the current folder; the folder that dlscale plan -o wrote "
        "comes first, then runs",
        names.front()));
  }
}

Runs runs_called(const contract::Plan& plan, const std::string& name) {
  Runs found = runs_where(
      plan, [&](const std::string& id) { return ::fnmatch(name.c_str(), id.c_str(), 0) == 0; });
  if (!found.empty()) return found;
  found = runs_where(plan, [&](const std::string& id) { return id.starts_with(name); });
  if (found.size() > 1) refuse_ambiguous(name, found);
  if (!found.empty()) return found;
  throw base::RunError(fmt::format("no run is called {}; dlscale list shows all", name),
                       base::kExitNothingMatched);
}

Runs chosen_runs(const contract::Plan& plan, const NamedRuns& named,
                 const SelectionChoice& selection, const StateChoice& states) {
  std::set<std::string> names;
  for (const std::string& name : named.names) {
    for (const contract::PlannedRun* run : runs_called(plan, name)) names.insert(run->run_id);
  }
  RunIds ids = select_runs(plan, selection);
  if (!named.names.empty()) {
    std::erase_if(ids, [&](const std::string& id) { return !names.contains(id); });
  }
  if (states.narrows()) {
    ids = keep_states(ids, states, runner::run_states(plan, named.folder), selection.allow_empty);
  }
  return runs_with(plan, ids);
}

}  // namespace dlscale::workspace
