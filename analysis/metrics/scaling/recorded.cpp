// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/recorded.hpp"

#include <algorithm>

namespace dlscale::analysis {
namespace {

/// Logs of other programs name no trainer.
bool is_own_record(const RunRow& run) {
  return run.conditions.contains("trainer");
}

}  // namespace

bool tells(const RunRow& run, contract::StepPart part) {
  return part == contract::StepPart::other || is_own_record(run) ||
         run.steps.parts_s[static_cast<std::size_t>(part)] > 0;
}

bool tells(const std::vector<const RunRow*>& runs, contract::StepPart part) {
  return std::any_of(runs.begin(), runs.end(),
                     [&](const RunRow* run) { return tells(*run, part); });
}

bool tells_steps(const std::vector<const RunRow*>& runs) {
  return std::all_of(runs.begin(), runs.end(),
                     [](const RunRow* run) { return run->steps.tells_steps; });
}

bool tells_time(const RunRow& run) {
  return run.steps.tells_steps || run.spent.kept_s > 0;
}

bool tells_bytes_sent(const RunRow& run) {
  return is_own_record(run) || run.steps.bytes_sent > 0;
}

}  // namespace dlscale::analysis
