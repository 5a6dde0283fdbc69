// SPDX-License-Identifier: Apache-2.0
// `dlscale list`: the runs of a plan folder, one line each.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/report/csv_text.hpp"
#include "base/table_printer.hpp"
#include "cli/command.hpp"
#include "cli/completer.hpp"
#include "cli/plan_folder.hpp"
#include "cli/run_facts.hpp"
#include "cli/selection.hpp"
#include "runner/run_states.hpp"

namespace dlscale::cli {
namespace {

struct Options {
  std::string folder = ".";
  SelectionChoice selection;
  bool json = false;
  bool csv = false;
  bool jobs = false;
};

constexpr const char* kStale = "stale";

using Runs = std::vector<contract::ListedRun>;
using States = std::map<std::string, runner::JobState>;  // by run id

/// One column of the table: how it is called and what a run has there.
struct Column {
  std::string name;
  std::function<std::string(const contract::PlannedRun& run)> text;
};

std::string value_on(const std::string& axis, const contract::PlannedRun& run) {
  const auto found = run.point.find(axis);
  return found == run.point.end() ? "" : found->second;
}

bool differs(const Column& column, const std::vector<contract::PlannedRun>& runs) {
  return std::any_of(runs.begin(), runs.end(), [&](const contract::PlannedRun& run) {
    return column.text(run) != column.text(runs.front());
  });
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

/// Everything that may tell two runs apart, the axes first.
std::vector<Column> all_columns(const contract::Plan& plan) {
  using Run = contract::PlannedRun;
  std::vector<Column> columns;
  for (const contract::Axis& axis : plan.axes) {
    columns.push_back(
        {axis.name, [name = axis.name](const Run& run) { return value_on(name, run); }});
  }
  const Column others[] = {
      {"gpus", [](const Run& run) { return std::to_string(run.gpus); }},
      {"batch_per_gpu", [](const Run& run) { return std::to_string(run.batch_per_gpu); }},
      {"global_batch", [](const Run& run) { return std::to_string(run.global_batch); }},
      {"lr_peak", [](const Run& run) { return fmt::format("{:.6g}", run.lr_peak); }},
      {"repetition", [](const Run& run) { return std::to_string(run.repetition); }},
      {"substudies", [](const Run& run) { return joined(run.substudies); }},
      {"gpu_hours", [](const Run& run) { return hours(run.gpu_hours); }},
      {"job", [](const Run& run) { return run.job; }},
      {kStale, [](const Run& run) { return run.stale ? kStale : ""; }},
  };
  for (const Column& column : others) {
    const bool is_axis = std::any_of(columns.begin(), columns.end(),
                                     [&](const Column& axis) { return axis.name == column.name; });
    if (!is_axis) columns.push_back(column);
  }
  return columns;
}

/// For people: what differs between the runs of the plan, and no names of jobs that run one run.
std::vector<Column> telling_columns(const contract::Plan& plan) {
  std::vector<Column> columns = all_columns(plan);
  std::erase_if(columns, [&](const Column& column) {
    const bool own_jobs = plan.jobs.size() == plan.runs.size();
    if (column.name == kStale && plan.runs.front().stale) return false;
    return (column.name == "job" && own_jobs) || !differs(column, plan.runs);
  });
  return columns;
}

/// "optimizer.momentum" is called "momentum" where nothing else is.
std::string short_name(const Column& column, const std::vector<Column>& columns) {
  const auto last = [](const std::string& name) { return name.substr(name.rfind('.') + 1); };
  const auto same = std::count_if(columns.begin(), columns.end(), [&](const Column& other) {
    return last(other.name) == last(column.name);
  });
  return same > 1 ? column.name : last(column.name);
}

std::vector<std::string> cells_of(const contract::ListedRun& listed,
                                  const std::vector<Column>& columns) {
  std::vector<std::string> cells{listed.run.run_id, listed.state};
  for (const Column& column : columns) cells.push_back(column.text(listed.run));
  return cells;
}

/// "48 runs: 40 done, 8 planned; 2 of them stale".
std::string count_states(const Runs& runs) {
  std::string text = fmt::format("{} run{}", runs.size(), runs.size() == 1 ? "" : "s");
  std::string mark = ": ";
  for (const runner::JobState state : runner::all_job_states()) {
    const std::string name = to_string(state);
    const auto n = std::count_if(runs.begin(), runs.end(),
                                 [&](const contract::ListedRun& run) { return run.state == name; });
    if (n == 0) continue;
    text += fmt::format("{}{} {}", mark, n, name);
    mark = ", ";
  }
  const auto stale = std::count_if(runs.begin(), runs.end(),
                                   [](const contract::ListedRun& run) { return run.run.stale; });
  if (stale > 0) text += fmt::format("; {} of them stale", stale);
  return text + "\n";
}

std::string as_table(const contract::Plan& plan, const Runs& runs) {
  const std::vector<Column> columns = telling_columns(plan);
  std::vector<std::string> header{"run", "state"};
  for (const Column& column : columns) header.push_back(short_name(column, columns));
  std::vector<std::vector<std::string>> rows;
  for (const contract::ListedRun& run : runs) rows.push_back(cells_of(run, columns));
  return count_states(runs) + "\n" + base::print_table(header, rows);
}

std::string as_csv(const contract::Plan& plan, const Runs& runs) {
  const std::vector<Column> columns = all_columns(plan);
  std::vector<std::string> header{"run_id", "state"};
  for (const Column& column : columns) header.push_back(column.name);
  std::string text = analysis::csv_line(header);
  for (const contract::ListedRun& run : runs) text += analysis::csv_line(cells_of(run, columns));
  return text;
}

/// The scripts of the jobs that hold what is left of `selected`, one a line. A job with a run that
/// waits or runs already is no such job: it would run twice.
std::string as_scripts(const contract::Plan& plan, const contract::PlanDir& folder,
                       const RunIds& selected, const States& states) {
  std::string text;
  int busy_jobs = 0;
  for (const contract::PlannedJob& job : plan.jobs) {
    bool left = false, busy = false;
    for (const std::string& id : job.run_ids) {
      const runner::JobState state = states.at(id);
      busy = busy || state == runner::JobState::Submitted || state == runner::JobState::Running;
      left = left || (selected.contains(id) && state != runner::JobState::Done);
    }
    if (left && busy) ++busy_jobs;
    if (left && !busy) text += folder.job_script(job.name).string() + "\n";
  }
  if (busy_jobs > 0) {
    fmt::print(stderr, "left out: {} job{} with runs that are submitted or running\n", busy_jobs,
               busy_jobs == 1 ? "" : "s");
  }
  return text;
}

int list(const Options& options) {
  const contract::PlanDir folder{std::filesystem::path(options.folder)};
  const contract::Plan plan = contract::read_plan(folder);
  const RunIds selected = select_runs(plan, options.selection);
  const States states = runner::run_states(plan, folder);
  if (options.jobs) {
    std::cout << as_scripts(plan, folder, selected, states);
    return kExitOk;
  }
  Runs runs;
  for (const contract::PlannedRun& run : plan.runs) {
    if (selected.contains(run.run_id)) runs.push_back({run, to_string(states.at(run.run_id))});
  }
  if (options.json) {
    std::cout << to_json(runs);
  } else {
    std::cout << (options.csv ? as_csv(plan, runs) : as_table(plan, runs));
  }
  return kExitOk;
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("DIR", options->folder, "plan folder (default: the current one)")
      ->type_name(value_kind::kFolder);
  add_selection_options(app, options->selection, RunArguments::positional);
  CLI::Option* json = app.add_flag("--json", options->json, "a list of objects");
  CLI::Option* csv = app.add_flag("--csv", options->csv, "all columns as CSV")->excludes(json);
  app.add_flag("--jobs", options->jobs,
               "the scripts of the jobs that hold runs which are not done, one a line")
      ->excludes(json)
      ->excludes(csv);
  return [options] { return list(*options); };
}

}  // namespace

extern const CommandEntry list_entry;
const CommandEntry list_entry{
    .name = "list",
    .summary = "List the runs of a plan folder and how far they are",
    .example =
        "dlscale list demo --where 'gpus > 1 && framework == \"ddp\"'\n"
        "  dlscale list demo 'ddp-*-r1' --csv\n"
        "  dlscale list study --jobs | xargs -n 1 sbatch    # submits what is left",
    .define = &define,
};

}  // namespace dlscale::cli
