// SPDX-License-Identifier: Apache-2.0
#include "workspace/runs/state_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/registry.hpp"
#include "base/text.hpp"

namespace dlscale::workspace {

std::vector<std::string> state_names() {
  std::vector<std::string> names;
  for (const runner::JobState state : runner::all_job_states()) names.push_back(to_string(state));
  return names;
}

std::set<runner::JobState> states_of(const StateChoice& choice) {
  const std::vector<std::string> names = state_names();
  std::set<runner::JobState> states;
  for (const std::string& word : choice.words) {
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end()) throw base::UsageError(base::unknown_name("state", word, names));
    states.insert(runner::all_job_states()[static_cast<std::size_t>(found - names.begin())]);
  }
  return states;
}

RunIds keep_states(RunIds ids, const StateChoice& choice, const runner::States& states,
                   bool allow_empty) {
  if (!choice.narrows()) return ids;
  const std::set<runner::JobState> wanted = states_of(choice);
  RunIds kept;
  for (const std::string& id : ids) {
    if (wanted.contains(states.at(id))) kept.insert(id);
  }
  const std::string summary =
      fmt::format("{} of {} {} {}", kept.size(), base::count_of(ids.size(), "run"),
                  base::word_for(kept.size(), "is", "are"), fmt::join(choice.words, " or "));
  if (kept.empty() && !allow_empty) throw base::RunError(summary, base::kExitNothingMatched);
  fmt::print(stderr, "{}\n", summary);
  return kept;
}

}  // namespace dlscale::workspace
