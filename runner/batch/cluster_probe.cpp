// SPDX-License-Identifier: Apache-2.0
#include "runner/batch/cluster_probe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "runner/batch/command_runner.hpp"
#include "runner/batch/scheduler_error.hpp"

namespace dlscale::runner {
namespace fs = std::filesystem;
namespace {

std::string ask(CommandRunner& commands, double timeout_s, const std::vector<std::string>& words) {
  // The locale is C because the parsers expect English output.
  const Command command{words, fs::current_path(), {}, {}, {{"LC_ALL", "C"}}};
  const Answer answer = ask_program(commands, command, timeout_s);
  if (*answer.end != ExitStatus{}) {
    const std::string reason = scheduler_error(answer.err);
    throw SchedulerUnreachable(fmt::format(
        "{} failed: {}", words[0], reason.empty() ? "it printed no error message" : reason));
  }
  return answer.out;
}

bool is_on(std::string_view path, const char* program) {
  while (!path.empty()) {
    const std::string_view folder = path.substr(0, path.find(':'));
    std::error_code ignored;
    if (!folder.empty() && fs::is_regular_file(fs::path(folder) / program, ignored)) return true;
    path.remove_prefix(std::min(folder.size() + 1, path.size()));
  }
  return false;
}

}  // namespace

Ask ask_with(CommandRunner& commands, double timeout_s) {
  return [&commands, timeout_s](const std::vector<std::string>& words) {
    return ask(commands, timeout_s, words);
  };
}

const ClusterProbeEntry& choose_cluster_probe(const std::string& scheduler, std::string_view path) {
  std::vector<const ClusterProbeEntry*> asked, found;
  for (const ClusterProbeEntry* entry : cluster_probe_table()) asked.push_back(entry);
  if (!scheduler.empty()) asked = {&base::find(cluster_probe_table(), "scheduler", scheduler)};
  std::vector<std::string> programs;
  for (const ClusterProbeEntry* entry : asked) {
    if (is_on(path, entry->program)) found.push_back(entry);
    programs.push_back(fmt::format("no {} ({})", entry->program, entry->name));
  }
  if (found.empty()) {
    throw base::UsageError(fmt::format(
        "{} on PATH: run dlscale init site on a login node of the cluster, or copy a file "
        "share/dlscale/sites/generic-*.toml of the installation and replace the example values in "
        "the copy",
        fmt::join(programs, " and ")));
  }
  if (found.size() > 1) {
    throw base::UsageError(fmt::format("{} and {} are both on PATH: choose one with --scheduler",
                                       found[0]->program, found[1]->program));
  }
  return *found[0];
}

}  // namespace dlscale::runner
