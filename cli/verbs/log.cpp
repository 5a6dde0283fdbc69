// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale log`, which prints the output of runs. With -f it also prints new output.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
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
#include "cli/terminal/signals.hpp"
#include "workspace/runs/output_reader.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::cli {
namespace {

constexpr auto kPoll = std::chrono::milliseconds(500);

struct LogOptions {
  std::vector<std::string> words;
  workspace::SelectionChoice selection;
  workspace::StateChoice states;
  workspace::OutputChoice output;
  bool follow = false;
};

int follow(workspace::RunsOutput& output) {
  const StopSignals signals;
  while (signals.count() == 0 && std::cout.good()) {
    if (!output.print_new() && output.all_ended()) {
      output.print_new();
      return kExitOk;
    }
    std::this_thread::sleep_for(kPoll);
  }
  return signals.count() > 0 ? kExitInterrupted : kExitOk;
}

int show_log(const LogOptions& options) {
  const workspace::NamedRuns named(options.words);
  const contract::Plan plan = contract::read_plan(named.folder);
  if (named.names.empty() && !options.selection.narrows() && !options.states.narrows() &&
      plan.runs.size() > 1) {
    throw base::UsageError(
        "log: name a run by its id, a prefix or a glob, or use --where or --state");
  }
  workspace::RunsOutput output(
      std::cout, named.folder, plan,
      workspace::chosen_runs(plan, named, options.selection, options.states), options.output);
  if (options.follow) return follow(output);
  if (!output.print_new()) fmt::print(stderr, "no output yet\n");
  return kExitOk;
}

Action define_log(CLI::App& app) {
  const auto options = std::make_shared<LogOptions>();
  app.add_option(
         "RUN", options->words,
         "plan folder (default: the current folder), then run ids, prefixes of run ids or globs")
      ->type_name(value_kind::kFolderOrRun);
  add_selection_options(app, options->selection, RunArguments::none);
  add_state_option(app, options->states);
  CLI::Option* follow = app.add_flag("-f,--follow", options->follow,
                                     "follow the output, also in later launches of a run, until "
                                     "the runs have ended or you press Ctrl-C");
  app.add_option("-n,--lines", options->output.last_lines,
                 "number of lines from the end of each file")
      ->check(CLI::Range(0, 1000000000));
  app.add_flag("--stderr", options->output.errors_only, "print standard error only");
  CLI::Option* job =
      app.add_flag("--job", options->output.job,
                   "print the output of the job script, as captured by the scheduler");
  app.add_option("--launch", options->output.launch, "number of the launch (default: the latest)")
      ->check(CLI::Range(1, 1000000))
      ->excludes(job)
      ->excludes(follow);
  return [options] { return show_log(*options); };
}

}  // namespace

extern const CommandEntry log_entry;
const CommandEntry log_entry{
    .name = "log",
    .summary = "Print standard output and standard error of runs",
    .example =
        "dlscale log study ddp-resnet50-g8-r1 -f\n  dlscale log study --state failed -n 5     # "
        "last lines of all failed runs\n  dlscale log study 'ddp-*' --launch 1 --stderr",
    .define = &define_log,
};

}  // namespace dlscale::cli
