// SPDX-License-Identifier: Apache-2.0
#include "contract/run_outcome.hpp"

#include <array>
#include <csignal>
#include <utility>

namespace dlscale::contract {
namespace {

constexpr std::array<std::pair<RunOutcome, const char*>, 9> kNames{{
    {RunOutcome::Completed, "Completed"},
    {RunOutcome::Failed, "Failed"},
    {RunOutcome::OutOfMemory, "OutOfMemory"},
    {RunOutcome::TimedOut, "TimedOut"},
    {RunOutcome::NodeFailed, "NodeFailed"},
    {RunOutcome::Preempted, "Preempted"},
    {RunOutcome::Cancelled, "Cancelled"},
    {RunOutcome::Diverged, "Diverged"},
    {RunOutcome::Lost, "Lost"},
}};

}  // namespace

const std::vector<RunOutcome>& all_outcomes() {
  static const std::vector<RunOutcome> outcomes = [] {
    std::vector<RunOutcome> list;
    for (const auto& [outcome, name] : kNames) list.push_back(outcome);
    return list;
  }();
  return outcomes;
}

std::string to_string(RunOutcome outcome) {
  for (const auto& [known, name] : kNames) {
    if (known == outcome) return name;
  }
  return "Failed";
}

std::optional<RunOutcome> outcome_from_string(std::string_view name) {
  for (const auto& [outcome, known] : kNames) {
    if (known == name) return outcome;
  }
  return std::nullopt;
}

RunOutcome outcome_of_exit(int exit_code) {
  if (exit_code == kExitDone) return RunOutcome::Completed;
  if (exit_code == kExitDiverged) return RunOutcome::Diverged;
  if (exit_code == kExitRunAgain) return RunOutcome::Preempted;
  return RunOutcome::Failed;
}

RunOutcome outcome_of_stopped(const std::optional<RunOutcome>& noted, int exit_code) {
  if (noted) return *noted;
  const bool stopped = exit_code == 0 || exit_code == 128 + SIGINT || exit_code == 128 + SIGTERM;
  return stopped ? RunOutcome::Cancelled : outcome_of_exit(exit_code);
}

}  // namespace dlscale::contract
