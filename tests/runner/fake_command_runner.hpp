// SPDX-License-Identifier: Apache-2.0
// Command runner with fake processes that a test ends and observes.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runner/batch/command_runner.hpp"

namespace dlscale::test {

class FakeCommandRunner : public runner::CommandRunner {
 public:
  runner::ProcessId start(const runner::Command& command) override {
    const runner::ProcessId process = 100 + static_cast<int>(started.size());
    started.push_back(command);
    alive[process] = command.environment;
    return process;
  }
  /// Returns the answer that the test sets.
  runner::Answer run(const runner::Command& command, double) override {
    ran.push_back(command);
    return answer ? answer(command) : runner::Answer{runner::ExitStatus{}, "", "", 0};
  }
  std::optional<runner::ExitStatus> wait(runner::ProcessId process, double) override {
    const auto found = ended.find(process);
    return found == ended.end() ? std::nullopt : std::optional(found->second);
  }
  runner::ProcessUsage usage(runner::ProcessId process) override { return used[process]; }
  void signal(runner::ProcessId process, int signal) override {
    signals.emplace_back(process, signal);
  }
  void kill_group(runner::ProcessId process) override { killed.push_back(process); }
  std::vector<runner::ProcessId> find_by_environment(const std::string& entry) override {
    std::vector<runner::ProcessId> found;
    for (const auto& [process, environment] : alive) {
      const bool has = std::any_of(environment.begin(), environment.end(), [&](const auto& pair) {
        return pair.first + "=" + pair.second == entry;
      });
      if (has) found.push_back(process);
    }
    return found;
  }
  /// Ends the process and removes it from the running processes.
  void end(runner::ProcessId process, runner::ExitStatus status) {
    ended[process] = status;
    alive.erase(process);
  }

  std::vector<runner::Command> started, ran;
  std::function<runner::Answer(const runner::Command&)> answer;
  std::map<runner::ProcessId, runner::ProcessUsage> used;
  std::map<runner::ProcessId, std::map<std::string, std::string>> alive;  ///< running processes
  std::map<runner::ProcessId, runner::ExitStatus> ended;
  std::vector<std::pair<runner::ProcessId, int>> signals;
  std::vector<runner::ProcessId> killed;  ///< processes whose group was killed
};

}  // namespace dlscale::test
