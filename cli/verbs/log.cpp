// SPDX-License-Identifier: Apache-2.0
// `dlscale log`: what runs print, as far as it is written or as it comes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/options/completer.hpp"
#include "cli/options/selection_options.hpp"
#include "cli/options/state_options.hpp"
#include "cli/terminal/interrupt.hpp"
#include "runner/status/run_states.hpp"
#include "workspace/runs/named_runs.hpp"
#include "workspace/runs/output_reader.hpp"
#include "workspace/runs/selection.hpp"
#include "workspace/runs/state_choice.hpp"

namespace dlscale::cli {
namespace {

using Runs = std::vector<const contract::PlannedRun*>;

constexpr auto kPoll = std::chrono::milliseconds(500);

struct LogOptions {
  std::vector<std::string> words;
  workspace::SelectionChoice selection;
  workspace::StateChoice states;
  workspace::OutputChoice output;
  bool follow = false;
};

contract::Plan part_of(const contract::Plan& plan, const Runs& runs) {
  contract::Plan part = plan;
  part.runs.clear();
  for (const contract::PlannedRun* run : runs) part.runs.push_back(*run);
  return part;
}

/// Those named, of those that the condition and the states leave.
Runs chosen_runs(const contract::Plan& plan, const workspace::NamedRuns& named,
                 const LogOptions& options) {
  if (named.names.empty() && !options.selection.narrows() && !options.states.narrows() &&
      plan.runs.size() > 1) {
    throw base::UsageError("log wants a run: an id, its beginning or a glob, --where or --state");
  }
  std::set<std::string> names;
  for (const std::string& name : named.names) {
    for (const contract::PlannedRun* run : workspace::runs_called(plan, name))
      names.insert(run->run_id);
  }
  workspace::RunIds ids = workspace::select_runs(plan, options.selection);
  if (!named.names.empty()) {
    std::erase_if(ids, [&](const std::string& id) { return !names.contains(id); });
  }
  if (options.states.narrows()) {
    ids = workspace::keep_states(ids, options.states, runner::run_states(plan, named.folder),
                                 options.selection.allow_empty);
  }
  Runs runs;
  for (const contract::PlannedRun& run : plan.runs) {
    if (ids.contains(run.run_id)) runs.push_back(&run);
  }
  return runs;
}

void require_launch(const Runs& runs, const contract::PlanDir& folder, int number) {
  for (const contract::PlannedRun* run : runs) {
    const auto launches = folder.run(run->run_id).launches();
    if (std::any_of(launches.begin(), launches.end(),
                    [&](const auto& launch) { return launch.number() == number; })) {
      continue;
    }
    throw base::RunError(fmt::format("run {} has no launch {}: it has had {}", run->run_id, number,
                                     launches.empty() ? 0 : launches.back().number()),
                         kExitNothingMatched);
  }
}

class Log {
 public:
  Log(const contract::PlanDir& folder, const contract::Plan& plan, const Runs& runs,
      const workspace::OutputChoice& choice)
      : folder_(folder),
        part_(part_of(plan, runs)),
        choice_(choice),
        reader_(std::cout, choice, runs.size() > 1) {}

  /// True when there was something new.
  bool print_new() {
    bool any = false;
    for (const contract::PlannedRun& run : part_.runs) {
      std::vector<workspace::OutputFile> files = workspace::output_files(run, folder_, choice_);
      std::vector<workspace::OutputFile>& before = files_[run.run_id];
      // A launch that another follows on may have said more before its end.
      for (const workspace::OutputFile& file : before) any = reader_.print_new(file) || any;
      for (const workspace::OutputFile& file : files) any = reader_.print_new(file) || any;
      before = std::move(files);
    }
    return any;
  }

  /// A run that was preempted goes on in another launch.
  bool all_ended() const {
    const auto states = runner::run_states(part_, folder_);
    return std::all_of(states.begin(), states.end(), [](const auto& run) {
      return runner::has_ended(run.second) && run.second != runner::JobState::Preempted;
    });
  }

  int follow() {
    const StopSignals signals;
    while (signals.count() == 0 && std::cout.good()) {
      if (!print_new() && all_ended()) {
        print_new();
        return kExitOk;
      }
      std::this_thread::sleep_for(kPoll);
    }
    return signals.count() > 0 ? kExitInterrupted : kExitOk;
  }

 private:
  const contract::PlanDir& folder_;
  const contract::Plan part_;
  const workspace::OutputChoice& choice_;
  workspace::OutputReader reader_;
  std::map<std::string, std::vector<workspace::OutputFile>> files_;  // by run id: those read last
};

int show_log(const LogOptions& options) {
  const workspace::NamedRuns named(options.words);
  const contract::Plan plan = contract::read_plan(named.folder);
  const Runs runs = chosen_runs(plan, named, options);
  if (options.output.launch) require_launch(runs, named.folder, *options.output.launch);
  Log log(named.folder, plan, runs, options.output);
  if (options.follow) return log.follow();
  if (!log.print_new()) fmt::print(stderr, "no output yet\n");
  return kExitOk;
}

Action define_log(CLI::App& app) {
  const auto options = std::make_shared<LogOptions>();
  app.add_option("RUN", options->words,
                 "plan folder (default: the current one), then ids of runs, their beginnings or "
                 "globs")
      ->type_name(value_kind::kFolderOrRun);
  add_selection_options(app, options->selection, RunArguments::none);
  add_state_option(app, options->states, "only runs in one of these states, parted by commas");
  CLI::Option* follow = app.add_flag("-f,--follow", options->follow,
                                     "go on with what comes, over the launches of a run that is "
                                     "started again, until the runs have ended or Ctrl-C");
  app.add_option("-n,--lines", options->output.last_lines, "the last so many lines of each file")
      ->check(CLI::Range(0, 1000000000));
  app.add_flag("--stderr", options->output.errors_only, "standard error alone");
  CLI::Option* job = app.add_flag("--job", options->output.job,
                                  "what the batch system captured, the script's own words too");
  app.add_option("--launch", options->output.launch, "this launch (default: the newest)")
      ->check(CLI::Range(1, 1000000))
      ->excludes(job)
      ->excludes(follow);
  return [options] { return show_log(*options); };
}

}  // namespace

extern const CommandEntry log_entry;
const CommandEntry log_entry{
    .name = "log",
    .summary = "Print what runs have written: standard output, then standard error",
    .example =
        "dlscale log study ddp-resnet50-g8-r1 -f\n"
        "  dlscale log study --state failed -n 5     # the last words of all that failed\n"
        "  dlscale log study 'ddp-*' --launch 1 --stderr",
    .define = &define_log,
};

}  // namespace dlscale::cli
