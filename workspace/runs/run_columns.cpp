// SPDX-License-Identifier: Apache-2.0
#include "workspace/runs/run_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "analysis/report/csv_text.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/table_printer.hpp"
#include "base/text.hpp"
#include "contract/run_spec/learning_rate.hpp"
#include "planner/study/derive.hpp"
#include "workspace/runs/plan_folder.hpp"

namespace dlscale::workspace {
namespace {

std::string number_text(std::optional<std::int64_t> number) {
  return number ? std::to_string(*number) : kUnknownFact;
}

std::optional<std::int64_t> warmup_steps(const contract::RunSpec& run) {
  // Tolerance for rounding: 0.1 epochs of 30 steps must give three steps, not four.
  constexpr double kRounding = 1e-9;
  const auto steps = planner::steps_per_epoch(run);
  const bool said = run.trainer.command.empty() || run.warmup_epochs > 0;
  if (!steps || !said) return std::nullopt;
  const double epochs = std::min(run.warmup_epochs, contract::length_in_epochs(run, *steps));
  return std::llround(std::ceil(epochs * static_cast<double>(*steps) * (1 - kRounding)));
}

std::string describe_point(const contract::PlannedRun& run) {
  std::vector<std::string> parts;
  for (const auto& [axis, value] : run.point) parts.push_back(axis + "=" + value);
  return fmt::format("{}", fmt::join(parts, " "));
}

std::string describe_job(const contract::PlannedJob& job, const contract::PlannedRun& run) {
  const auto place = std::find(job.run_ids.begin(), job.run_ids.end(), run.run_id);
  const auto number = place - job.run_ids.begin() + 1;
  switch (job.kind) {
    case contract::JobKind::packed:
      return fmt::format("{}, shared by {} runs", job.name, job.run_ids.size());
    case contract::JobKind::array:
      return fmt::format("task {} of {}, array {}", number, job.run_ids.size(), job.name);
    case contract::JobKind::single:
      break;
  }
  return job.name;
}

std::string describe_resources(const contract::PlannedJob& job, const contract::RunSpec& run) {
  const contract::ResourceRequest& asked = job.resources;
  std::string text = fmt::format("{} x {} x {}", base::count_of(asked.nodes, "node"),
                                 base::count_of(asked.ranks_per_node, "rank"),
                                 base::count_of(asked.cores_per_rank, "core"));
  if (!job.partition.empty()) text += " of " + job.partition;
  text += ", " + asked.device;
  // dlscale does not know how an external trainer communicates.
  const bool ours = run.trainer.command.empty();
  return ours ? text + " over " + asked.communicator : text;
}

}  // namespace

std::string hours(double gpu_hours) {
  return gpu_hours < 100 ? fmt::format("{:.4g}", gpu_hours) : fmt::format("{:.0f}", gpu_hours);
}

std::string predicted_text(const contract::PlannedRun& run) {
  if (run.predicted_s <= 0) return kUnknownFact;
  if (run.predicted_high_s <= 0) {
    return base::clock_time(run.predicted_s) +
           " (without bounds: planned by an earlier version of dlscale)";
  }
  return fmt::format("{} ({} to {})", base::clock_time(run.predicted_s),
                     base::clock_time(run.predicted_low_s), base::clock_time(run.predicted_high_s));
}

std::vector<RunFact> facts_of(const contract::RunSpec& run, const contract::PlannedRun& planned,
                              const contract::PlannedJob& job) {
  const auto time = [](double seconds) {
    return seconds > 0 ? base::clock_time(seconds) : kUnknownFact;
  };
  const std::int64_t length = std::max<std::int64_t>(run.epochs, run.steps);
  const auto said = [](const std::string& text) { return text.empty() ? kUnknownFact : text; };
  const auto rate = [&](double value) {
    return run.lr.scale.empty() ? kUnknownFact : fmt::format("{:.6g}", value);
  };
  return {
      {"GPUs", std::to_string(run.gpus)},
      {"nodes", std::to_string(job.resources.nodes)},
      {"batch/GPU", contract::batch_per_gpu_text(
                        {.batch_per_gpu = run.batch_per_gpu, .uneven_batch = run.uneven_batch})},
      {"accumulation", std::to_string(run.accumulation_steps)},
      {"global batch", std::to_string(run.global_batch)},
      {"last batch", said(run.last_batch)},
      {run.steps > 0 ? "steps" : "epochs", length > 0 ? std::to_string(length) : kUnknownFact},
      {"steps/epoch", number_text(planner::steps_per_epoch(run))},
      {"LR base", rate(run.lr.base)},
      {"LR rule", said(run.lr.scale)},
      {"LR peak", rate(run.lr.peak)},
      {"warm-up steps", number_text(warmup_steps(run))},
      {"walltime", time(job.resources.walltime_s)},
      {"predicted", predicted_text(planned)},
      {"GPU-hours", planned.gpu_hours > 0 ? hours(planned.gpu_hours) : kUnknownFact},
  };
}

ShownRuns::ShownRuns(const contract::Plan& plan, const contract::PlanDir& folder,
                     const std::vector<const contract::PlannedRun*>& runs)
    : plan_(plan), folder_(folder), tables_(plan, folder) {
  for (const contract::PlannedJob& job : plan.jobs) jobs_.emplace(job.name, &job);
  contract::Plan alone;
  for (const contract::PlannedRun* run : runs) alone.runs.push_back(*run);
  states_ = runner::run_states(alone, folder);
}

contract::RunSpec ShownRuns::description(const contract::PlannedRun& run) {
  return read_run(folder_, tables_, run.run_id);
}

const contract::PlannedJob& ShownRuns::job_of(const contract::PlannedRun& run) const {
  if (const auto found = jobs_.find(run.job); found != jobs_.end()) return *found->second;
  throw base::SpecError({"plan.json"}, "jobs",
                        fmt::format("job {} of run {} is missing", run.job, run.run_id));
}

std::vector<RunFact> ShownRuns::facts(const contract::PlannedRun& run) {
  const contract::PlannedJob& job = job_of(run);
  const contract::RunSpec spec = description(run);
  std::vector<RunFact> facts{
      {"state", to_string(states_.at(run.run_id))},
      {"point", describe_point(run)},
      {"repetition", fmt::format("{} of {}", run.repetition, plan_.repeats)}};
  if (!run.substudies.empty()) {
    facts.push_back({"sub-studies", fmt::format("{}", fmt::join(run.substudies, ", "))});
  }
  if (run.stale)
    facts.push_back(
        {"stale", "the results of the run come from an earlier description of the run"});
  const std::vector<RunFact> derived = facts_of(spec, run, job);
  facts.insert(facts.end(), derived.begin(), derived.end());
  facts.push_back({"job", describe_job(job, run)});
  facts.push_back({"resources", describe_resources(job, spec)});
  if (!job.after.empty()) facts.push_back({"after", fmt::format("{}", fmt::join(job.after, ", "))});
  facts.push_back({"script", folder_.job_script(job.name).string()});
  facts.push_back({"folder", folder_.run(run.run_id).root().string()});
  return facts;
}

namespace {

constexpr const char* kStale = "stale";

std::string value_on(const std::string& axis, const ShownRun& shown) {
  const auto found = shown.run->point.find(axis);
  return found == shown.run->point.end() ? "" : found->second;
}

bool differs(const RunColumn& column, const std::vector<contract::PlannedRun>& runs) {
  const ShownRun first{&runs.front(), {}};
  return std::any_of(runs.begin(), runs.end(), [&](const contract::PlannedRun& run) {
    return column.text({&run, {}}) != column.text(first);
  });
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

/// Returns the last part of a column's name: "momentum" for "optimizer.momentum". Returns the whole
/// name if another column has the same last part.
std::string short_name(const RunColumn& column, const std::vector<RunColumn>& columns) {
  const auto last = [](const std::string& name) { return name.substr(name.rfind('.') + 1); };
  const auto same = std::count_if(columns.begin(), columns.end(), [&](const RunColumn& other) {
    return last(other.name) == last(column.name);
  });
  return same > 1 ? column.name : last(column.name);
}

std::vector<std::string> cells_of(const ShownRun& shown, const std::vector<RunColumn>& columns) {
  std::vector<std::string> cells{shown.run->run_id, to_string(shown.state)};
  for (const RunColumn& column : columns) cells.push_back(column.text(shown));
  return cells;
}

std::string number_text(const std::optional<int>& number) {
  return number ? std::to_string(*number) : "";
}

/// Returns the completed and planned epochs such as "12/90", or "-" if both are unknown.
std::string epoch_of_epochs(const ShownRun& shown) {
  const RunProgress& progress = shown.progress;
  if (!progress.epoch && !progress.epochs) return "-";
  const bool waits = !progress.epoch && !runner::has_ended(shown.state) &&
                     shown.state != runner::JobState::Running;
  const std::string done = progress.epoch ? std::to_string(*progress.epoch) : waits ? "0" : "-";
  return progress.epochs ? fmt::format("{}/{}", done, *progress.epochs) : done;
}

/// Returns the name of the first node and the number of other nodes, because a list of all nodes
/// would be too long.
std::string few_nodes(const std::vector<std::string>& nodes) {
  if (nodes.empty()) return "-";
  return nodes.size() == 1 ? nodes[0] : fmt::format("{} +{}", nodes[0], nodes.size() - 1);
}

/// Returns the batch size as text. A size of 0 is unknown, as in third-party logs, and gives an
/// empty text.
std::string batch_text(std::int64_t batch) {
  return batch > 0 ? std::to_string(batch) : "";
}

}  // namespace

std::vector<RunColumn> plan_columns(const contract::Plan& plan) {
  using Run = ShownRun;
  std::vector<RunColumn> columns;
  for (const contract::Axis& axis : plan.axes) {
    columns.push_back({axis.name, [name = axis.name](const Run& s) { return value_on(name, s); }});
  }
  const RunColumn others[] = {
      {"gpus", [](const Run& s) { return std::to_string(s.run->gpus); }},
      {"batch_per_gpu",
       [](const Run& s) {
         return s.run->batch_per_gpu > 0 ? contract::batch_per_gpu_text(*s.run) : "";
       }},
      {"global_batch", [](const Run& s) { return batch_text(s.run->global_batch); }},
      {"lr_peak",
       [](const Run& s) {
         return s.run->lr_peak > 0 ? fmt::format("{:.6g}", s.run->lr_peak) : "";
       }},
      {"repetition", [](const Run& s) { return std::to_string(s.run->repetition); }},
      {"substudies", [](const Run& s) { return joined(s.run->substudies); }},
      {"gpu_hours", [](const Run& s) { return hours(s.run->gpu_hours); }},
      {"job", [](const Run& s) { return s.run->job; }},
      {kStale, [](const Run& s) { return s.run->stale ? kStale : ""; }},
  };
  for (const RunColumn& column : others) {
    const bool is_axis = std::any_of(columns.begin(), columns.end(), [&](const RunColumn& axis) {
      return axis.name == column.name;
    });
    if (!is_axis) columns.push_back(column);
  }
  return columns;
}

std::vector<RunColumn> telling_columns(const contract::Plan& plan) {
  std::vector<RunColumn> columns = plan_columns(plan);
  std::erase_if(columns, [&](const RunColumn& column) {
    const bool own_jobs = plan.jobs.size() == plan.runs.size();
    if (column.name == kStale && plan.runs.front().stale) return false;
    return (column.name == "job" && own_jobs) || !differs(column, plan.runs);
  });
  std::vector<std::string> names;
  for (const RunColumn& column : columns) names.push_back(short_name(column, columns));
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].name = names[i];
  return columns;
}

std::vector<RunColumn> progress_columns() {
  using Run = ShownRun;
  return {
      {"epoch", epoch_of_epochs},
      {"elapsed",
       [](const Run& s) {
         return s.progress.elapsed_s ? base::duration(*s.progress.elapsed_s) : std::string("-");
       }},
      {"nodes", [](const Run& s) { return few_nodes(s.progress.nodes); }},
      {"job id", [](const Run& s) { return s.progress.job_id.empty() ? "-" : s.progress.job_id; }},
      {"reason",
       [](const Run& s) {
         const std::string mark = s.run->stale ? kStale : "";
         const std::string& reason = s.progress.reason;
         return mark.empty() || reason.empty() ? mark + reason : mark + "; " + reason;
       }},
  };
}

std::vector<RunColumn> progress_csv_columns() {
  using Run = ShownRun;
  return {
      {"epoch", [](const Run& s) { return number_text(s.progress.epoch); }},
      {"epochs", [](const Run& s) { return number_text(s.progress.epochs); }},
      {"elapsed_s",
       [](const Run& s) {
         return s.progress.elapsed_s ? analysis::csv_number(*s.progress.elapsed_s) : "";
       }},
      {"nodes", [](const Run& s) { return joined(s.progress.nodes); }},
      {"job_id", [](const Run& s) { return s.progress.job_id; }},
      {"reason", [](const Run& s) { return s.progress.reason; }},
  };
}

std::string count_states(const std::vector<ShownRun>& runs) {
  std::string text = base::count_of(runs.size(), "run");
  std::string mark = ": ";
  for (const runner::JobState state : runner::all_job_states()) {
    const auto n = std::count_if(runs.begin(), runs.end(),
                                 [&](const ShownRun& shown) { return shown.state == state; });
    if (n == 0) continue;
    text += fmt::format("{}{} {}", mark, n, to_string(state));
    mark = ", ";
  }
  const auto stale = std::count_if(runs.begin(), runs.end(),
                                   [](const ShownRun& shown) { return shown.run->stale; });
  if (stale > 0) text += fmt::format("; {} of them stale", stale);
  return text + "\n";
}

namespace {

/// Returns the priority of a state when not all rows can be shown. Lower numbers are shown first.
int display_rank(runner::JobState state) {
  if (state == runner::JobState::Running) return 0;
  if (runner::ended_badly(state)) return 1;
  if (state == runner::JobState::Done) return 4;
  if (state == runner::JobState::NotNeeded) return 5;
  return state == runner::JobState::Planned ? 3 : 2;
}

}  // namespace

std::vector<ShownRun> most_telling(const std::vector<ShownRun>& runs, std::size_t most) {
  if (runs.size() <= most) return runs;
  std::vector<ShownRun> chosen = runs;
  std::stable_sort(chosen.begin(), chosen.end(), [](const ShownRun& a, const ShownRun& b) {
    return display_rank(a.state) < display_rank(b.state);
  });
  chosen.resize(most);
  return chosen;
}

std::vector<ShownRun> worth_a_look(const std::vector<ShownRun>& runs) {
  std::vector<ShownRun> chosen;
  for (const ShownRun& shown : runs) {
    if (display_rank(shown.state) <= 1) chosen.push_back(shown);
  }
  return chosen;
}

std::string count_others(const std::vector<ShownRun>& all, const std::vector<ShownRun>& shown) {
  if (shown.size() >= all.size()) return {};
  std::set<const contract::PlannedRun*> seen;
  for (const ShownRun& one : shown) seen.insert(one.run);
  std::vector<ShownRun> others;
  for (const ShownRun& one : all) {
    if (!seen.contains(one.run)) others.push_back({one.run, one.state});
  }
  const std::string counts = count_states(others);
  return fmt::format("… and {} more{}", others.size(),
                     counts.substr(counts.find(':'), counts.find('\n') - counts.find(':')));
}

std::string runs_as_table(const std::vector<ShownRun>& runs,
                          const std::vector<RunColumn>& columns) {
  std::vector<std::string> header{"run", "state"};
  for (const RunColumn& column : columns) header.push_back(column.name);
  std::vector<std::vector<std::string>> rows;
  for (const ShownRun& shown : runs) rows.push_back(cells_of(shown, columns));
  return base::print_table(header, rows);
}

std::string runs_as_csv(const std::vector<ShownRun>& runs, const std::vector<RunColumn>& columns) {
  std::vector<std::string> header{"run_id", "state"};
  for (const RunColumn& column : columns) header.push_back(column.name);
  std::string text = analysis::csv_line(header);
  for (const ShownRun& shown : runs) text += analysis::csv_line(cells_of(shown, columns));
  return text;
}

}  // namespace dlscale::workspace
