// SPDX-License-Identifier: Apache-2.0
// Runs in given states, for tests of functions that show runs.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "workspace/runs/run_columns.hpp"

namespace dlscale::test {

/// Runs run1, run2, … in the given states.
struct RunsInStates {
  std::deque<contract::PlannedRun> planned;
  std::vector<workspace::ShownRun> all;

  explicit RunsInStates(const std::vector<runner::JobState>& states) {
    for (const runner::JobState state : states) {
      contract::PlannedRun& run = planned.emplace_back();
      run.run_id = "run" + std::to_string(planned.size());
      all.push_back({&run, state});
    }
  }
};

/// Returns the numbers of the runs as one text.
inline std::string numbers_of(const std::vector<workspace::ShownRun>& runs) {
  std::string text;
  for (const workspace::ShownRun& shown : runs) text += shown.run->run_id.substr(3);
  return text;
}

}  // namespace dlscale::test
