// SPDX-License-Identifier: Apache-2.0
// `dlscale run`: a study from its TOML to its tables on this machine, in one go.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "base/file.hpp"
#include "cli/collect_steps.hpp"
#include "cli/command.hpp"
#include "cli/completer.hpp"
#include "cli/interrupt.hpp"
#include "cli/plan_folder.hpp"
#include "cli/plan_summary.hpp"
#include "cli/resources.hpp"
#include "cli/terminal.hpp"
#include "planner/planner.hpp"
#include "planner/site/dataset_path.hpp"
#include "runner/launcher.hpp"
#include "runner/run_results.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kScheduler = "local";
constexpr double kRedraw_s = 0.5;

struct RunOptions {
  planner::PlanRequest request;
  std::string out;
  int jobs = 1;
  bool no_figures = false;
  SelectionChoice runs;
};

/// Shows how far the runs are: a status line on a terminal, one line for each run that has ended.
class RunView : public runner::LaunchObserver {
 public:
  RunView(const planner::Planning& planning, const contract::PlanDir& folder,
          const base::Clock& clock, const StopSignals& signals)
      : folder_(folder),
        clock_(clock),
        signals_(signals),
        start_s_(clock.steady_s()),
        terminal_(terminal_of(STDOUT_FILENO)),
        line_(std::cout, terminal_) {
    for (std::size_t i = 0; i < planning.plan.runs.size(); ++i) {
      epochs_[planning.plan.runs[i].run_id] = planning.run(i).epochs;
    }
  }

  void run_ended(const runner::RunReport& report, const runner::Progress& progress) override {
    tell_of_stop();
    const runner::RunEnd& end = report.end;
    const bool good = end.outcome == contract::RunOutcome::Completed;
    const std::string state = fmt::format("{:<9}", to_string(runner::state_of(end.outcome)));
    std::string text = fmt::format(
        "{} {} {}, {}/{} runs", paint(state, good ? Colour::Green : Colour::Red, terminal_),
        report.run_id, duration(report.wall_s), done(progress), progress.total);
    if (!end.reason.empty()) text += ": " + end.reason;
    line_.print_above(text + "\n");
    ++ended_;
    last_end_s_ = clock_.steady_s();
  }

  void progressed(const runner::Progress& progress) override {
    tell_of_stop();
    const double now_s = clock_.steady_s();
    if (!terminal_.is_tty || now_s - drawn_s_ < kRedraw_s) return;
    drawn_s_ = now_s;
    ProgressState state{done(progress), progress.total, progress.failed, now_s - start_s_, {}, {}};
    if (ended_ > 0) {
      const double each_s = (last_end_s_ - start_s_) / ended_;
      const double since_s = now_s - last_end_s_;
      state.rest_s = std::max(each_s * (state.total - state.done) - since_s, 0.0);
    }
    state.now = told_of_stop_ ? "stopping" : what_runs(progress.running);
    line_.show(progress_line(state, terminal_.columns));
  }

 private:
  void tell_of_stop() {
    if (signals_.count() == 0 || told_of_stop_) return;
    line_.print_above("stopping the runs; interrupt once more to kill them at once\n");
    told_of_stop_ = true;
  }

  static int done(const runner::Progress& progress) { return progress.completed + progress.failed; }

  std::string what_runs(const std::vector<std::string>& running) {
    if (running.empty()) return {};
    const int epochs = epochs_.at(running.front());
    const int trained = runner::read_run_results(folder_.run(running.front())).epochs;
    const std::string others =
        running.size() > 1 ? fmt::format(" and {} more", running.size() - 1) : "";
    return fmt::format("epoch {}/{} of {}{}", std::min(trained + 1, epochs), epochs,
                       running.front(), others);
  }

  const contract::PlanDir& folder_;
  const base::Clock& clock_;
  const StopSignals& signals_;
  const double start_s_;
  const Terminal terminal_;
  StatusLine line_;
  std::map<std::string, int> epochs_;  ///< by run id
  double drawn_s_ = 0;
  double last_end_s_ = 0;
  int ended_ = 0;
  bool told_of_stop_ = false;
};

bool is_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((fs::path(folder) / name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

/// Before anything is written.
void refuse_what_cannot_run(const planner::Planning& planning) {
  const planner::Site& site = planning.site;
  if (site.scheduler != kScheduler) {
    throw base::UsageError(fmt::format(
        "run works on this machine alone, and site {} has the scheduler {}; use dlscale "
        "plan --site {} and submit the scripts in its jobs folder",
        site.name, site.scheduler, site.name));
  }
  if (!is_program(site.trainer)) {
    throw base::UsageError(
        fmt::format("no trainer {}: build it (DLSCALE_TRAINER=ON) or name one as `trainer` in the "
                    "site file",
                    site.trainer));
  }
  for (std::size_t i = 0; i < planning.plan.runs.size(); ++i) {
    const contract::RunSpec run = planning.run(i);
    for (const std::string& variable : planner::variables_in(run.dataset.path)) {
      if (std::getenv(variable.c_str()) != nullptr) continue;
      throw base::UsageError(
          fmt::format("training.dataset.path is {}, and ${} is not set; export it, or say "
                      "-S training.dataset.path=FOLDER",
                      run.dataset.path, variable));
    }
  }
}

/// The plan without the runs that are not meant, and without the jobs this leaves empty.
contract::Plan part_of(const contract::Plan& plan, const RunIds& selected) {
  contract::Plan part = plan;
  std::erase_if(part.runs, [&](const auto& run) { return !selected.contains(run.run_id); });
  for (contract::PlannedJob& job : part.jobs) {
    std::erase_if(job.run_ids, [&](const std::string& id) { return !selected.contains(id); });
  }
  std::erase_if(part.jobs, [](const contract::PlannedJob& job) { return job.run_ids.empty(); });
  return part;
}

/// A plan folder that this program alone launches the runs of.
struct LaunchPlace {
  explicit LaunchPlace(const fs::path& root)
      : folder(fs::canonical(root)), log(folder.launch_log(), clock) {}
  const contract::PlanDir folder;
  const base::SystemClock clock;
  runner::LaunchLog log;
};

/// Launches the runs of `plan`, which is `planning`'s or a part of it.
runner::LaunchReport launch(const planner::Planning& planning, const contract::Plan& plan,
                            LaunchPlace& place, int jobs) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const auto commands = runner::make_command_runner();
  const auto scheduler = base::find(runner::job_scheduler_table(), "job scheduler", kScheduler)
                             .make({*commands, place.clock, cores});
  const StopSignals signals;
  RunView view(planning, place.folder, place.clock, signals);
  const auto pause = [](double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  };
  const runner::LauncherParts parts{*scheduler,  place.log, view,
                                    place.clock, pause,     [&signals] { return signals.count(); }};
  runner::LauncherOptions options;
  options.window = jobs;
  return runner::Launcher(plan, place.folder, parts, options).run();
}

/// Failures with their reasons and the files to look into, whose paths are shown below `shown`.
int print_failures(const runner::LaunchReport& report, const fs::path& root,
                   const fs::path& shown) {
  std::string text;
  int failures = 0;
  for (const auto& [run_id, end, wall_s] : report.ended) {
    if (end.outcome == contract::RunOutcome::Completed) continue;
    ++failures;
    text += fmt::format("  {}: {} (exit code {}): {}\n", run_id, contract::to_string(end.outcome),
                        end.exit_code, end.reason);
    if (end.details.empty()) continue;
    text += fmt::format("    see {}\n", (shown / end.details.lexically_relative(root)).string());
  }
  if (failures > 0) {
    std::cout << fmt::format("{} run{} failed:\n{}\n", failures, failures == 1 ? "" : "s", text);
  }
  return failures;
}

int run(const RunOptions& options) {
  const planner::Resources resources = shipped_resources();
  const planner::Planning planning = planner::make_plan(options.request, resources);
  refuse_what_cannot_run(planning);
  const RunIds selected = select_runs(planning.plan, options.runs);
  const contract::PlanDir shown(options.out.empty() ? planning.plan.study : options.out);
  require_writable(shown);
  planner::check_plan(planning, resources, shown);  // refuses, if it must, before a folder is made

  make_folder(shown);
  LaunchPlace place(shown.root());
  const planner::WrittenPlan written = planner::write_plan(planning, resources, shown);
  print_plan_summary(planning.plan, std::cout);
  for (const std::string& run_id : written.stale) {
    std::cout << fmt::format("stale: {} keeps the results of another description\n", run_id);
  }
  std::cout << std::endl;

  const contract::Plan meant = part_of(planning.plan, selected);
  const runner::LaunchReport report = launch(planning, meant, place, options.jobs);
  if (report.stopped) {
    std::cout << "interrupted; the same command goes on with the runs that are missing\n";
    return kExitInterrupted;
  }
  std::cout << (report.ended.empty() ? "all runs were completed before\n\n" : "\n");
  const bool failed = print_failures(report, place.folder.root(), shown.root()) > 0;
  const int collected =
      collect_and_report({shown.root(), false, true, !options.no_figures}, std::cout);
  return failed ? int{kExitRunsFailed} : collected;
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<RunOptions>();
  app.add_option("study", options->request.study, "the study file (TOML)")
      ->type_name(value_kind::kStudy)
      ->required();
  app.add_option("--site", options->request.site, "name of a local site, or a site file (*.toml)")
      ->type_name(value_kind::kSite)
      ->capture_default_str();
  app.add_option("-o,--output", options->out, "plan folder (default: the study's name)")
      ->type_name(value_kind::kFolder);
  app.add_option("-S", options->request.overrides,
                 "key=value: change a key of the study, for example -S training.epochs=2")
      ->allow_extra_args(false);
  app.add_option("-j,--jobs", options->jobs,
                 "runs at once, as far as there are cores; with 1 each run has the machine to "
                 "itself, so that their times can be compared")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_flag("--no-figures", options->no_figures, "tables only");
  add_selection_options(app, options->runs, RunArguments::none);
  return [options] { return run(*options); };
}

}  // namespace

extern const CommandEntry run_entry;
const CommandEntry run_entry{
    .name = "run",
    .summary = "Plan, run and evaluate a study on this machine; goes on where it was interrupted",
    .example =
        "dlscale run examples/studies/demo/study.toml -o demo\n"
        "  dlscale run study.toml --where 'gpus == 1'    # the others stay planned",
    .define = &define,
};

}  // namespace dlscale::cli
