// SPDX-License-Identifier: Apache-2.0
// Defines the plan: the ordered list of runs and jobs that `dlscale plan` writes to `plan.json`,
// and the tables of job arrays.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/job_kind.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::contract {

inline constexpr int kPlanVersion = 1;

/// Rule that selects the GPU count that speed-ups are relative to: "smallest-common" (the smallest
/// GPU count that all curves have), "per-curve" (the smallest GPU count of each curve) or "gpus"
/// (the count in `gpus`).
struct BaselineRule {
  std::string rule = "smallest-common";
  int gpus = 0;
  bool operator==(const BaselineRule&) const = default;
};

/// Precision at which a point gets no more repetitions.
struct RepeatUntil {
  /// Largest half-width of the confidence interval of an efficiency. 0 means that there is no
  /// limit.
  double efficiency_ci = 0;
  /// Number of repetitions that always run. More repetitions run only while the intervals are wider
  /// than the limit.
  int first = 0;
  bool operator==(const RepeatUntil&) const = default;
};

struct PlannedRun {
  std::string run_id;
  int repetition = 1;
  std::map<std::string, std::string> point;  ///< value of each axis, as in RunSpec
  /// Names of the substudies that contain this run. The list can be empty.
  std::vector<std::string> substudies;
  std::string job;         ///< name of the job that holds this run
  std::string log_format;  ///< log format of an external trainer; empty for dlscale-train
  int gpus = 1;
  std::int64_t batch_per_gpu = 0;  ///< largest number of samples that a GPU processes at once
  std::int64_t global_batch = 0;
  std::string uneven_batch;  ///< RunSpec::uneven_batch
  std::int64_t steps = 0;    ///< number of optimizer steps; 0 = `epochs` gives the run length
  int epochs = 0;            ///< number of epochs; 0 = unknown (external trainer)
  double lr_peak = 0;        ///< peak learning rate; 0 = unknown (external trainer)
  double predicted_s = 0;    ///< expected wall time in seconds; 0 = no prediction
  /// Bounds of predicted_s in seconds. Both are 0 if the plan does not record the bounds. Plans of
  /// earlier versions do not record them.
  double predicted_low_s = 0;
  double predicted_high_s = 0;
  double gpu_hours = 0;  ///< GPU-hours of the run: its part of the GPU-hours of the job
  bool stale = false;    ///< true if the results belong to an earlier description of the run
  bool operator==(const PlannedRun&) const = default;
};

/// Returns the name of the format of the measurements of `run`: PlannedRun::log_format, or
/// "dlscale" if the plan names no format. The format "dlscale" is that of the records in
/// results.jsonl.
std::string log_format_name(const PlannedRun& run);

/// Returns true if `run` writes its measurements as records to results.jsonl. Other runs write logs
/// that a log format reads.
bool writes_records(const PlannedRun& run);

/// Returns the number of samples that a GPU of `run` processes at once, as text: "64", or "42-43"
/// if the parts of the global batch differ in size.
std::string batch_per_gpu_text(const PlannedRun& run);

struct PlannedJob {
  std::string name;                  ///< file name of the job script without .sh
  std::vector<std::string> run_ids;  ///< runs in start order; for an array, in task order
  ResourceRequest resources;         ///< resources of the job, or of each task of an array
  JobKind kind = JobKind::single;
  std::string partition;  ///< partition of the site; empty if the site has none
  double gpu_hours = 0;   ///< upper limit in GPU-hours: charged GPUs x walltime, summed over tasks
  /// For an array: name of the table file without its ending. The file has one line per run.
  std::string table;
  int offset = 0;    ///< array: number of table lines before this job's first line
  int throttle = 0;  ///< array: maximum number of running tasks; 0 = no limit
  /// Number (from 1) of the chain that contains the job. 0 means no chain.
  int chain = 0;
  std::vector<std::string> after;  ///< jobs that must end before this job starts
  bool operator==(const PlannedJob&) const = default;
};

struct SkippedPoint {
  std::map<std::string, std::string> point;
  std::string why;
  bool operator==(const SkippedPoint&) const = default;
};

struct Axis {
  std::string name;
  std::vector<std::string> values;
  bool operator==(const Axis&) const = default;
};

/// Files and options from which `dlscale plan` made a plan. The copy of the study in the plan
/// folder is not enough to plan again, because the copy can lack the files next to the study and
/// the changes from the command line.
struct PlanOrigin {
  /// Absolute path of the study file. Empty in plans of earlier versions.
  std::string study_file;
  /// Changes from the command line, each as KEY=VALUE.
  std::vector<std::string> overrides;
  /// Words of the trainer's command and of environment_setup that name files next to the study.
  std::vector<std::string> named_files;
  bool operator==(const PlanOrigin&) const = default;
};

struct Plan {
  int schema_version = kPlanVersion;
  std::string study;
  std::string scaling;
  std::string site;
  std::string scheduler;  ///< name of the scheduler: local, slurm or oar
  /// Publication that the study is compared with: name or absolute path of a reference. Empty if
  /// the study names none.
  std::string reference;
  PlanOrigin origin;
  BaselineRule baseline;
  int repeats = 1;  ///< maximum number of repetitions of a point
  RepeatUntil until;
  std::vector<Axis> axes;
  std::vector<PlannedRun> runs;
  std::vector<PlannedJob> jobs;
  std::vector<SkippedPoint> skipped;
  std::vector<std::string> warnings;
  bool operator==(const Plan&) const = default;
};

/// Returns the text of `plan.json`: keys in a fixed order, one line for each run, job and skipped
/// point, and a final newline.
std::string to_json(const Plan& plan);
/// Passes the text of `plan.json` to `sink` in pieces, for plans whose text is too large to hold in
/// memory.
void write_json(const Plan& plan, const std::function<void(std::string_view)>& sink);
/// Reads a plan. Throws base::SpecError if the text is not a plan or has a newer version. `file` is
/// only used in messages.
Plan plan_from_json(std::string_view text, std::string_view file);
/// Reads the plan of a folder. Throws base::UsageError if the folder has no plan. Throws
/// base::SpecError if the plan is broken. The message explains how to write the plan again.
Plan read_plan(const PlanDir& folder);
/// Reads the plan of a folder for a command that replaces the plan. Returns nothing if the folder
/// has no plan or a broken plan.
std::optional<Plan> find_plan(const PlanDir& folder);
/// Run and its state, for `dlscale list`.
struct ListedRun {
  PlannedRun run;
  std::string state;
};
/// Returns a JSON list with one object for each run: the fields of the run in plan.json, and its
/// state.
std::string to_json(const std::vector<ListedRun>& runs);
/// Difference between the old plan and the new plan of a study for one run.
struct RunChange {
  std::string run_id;
  double gpu_hours = 0;  ///< GPU-hours in the new plan; for a removed run, in the old plan
  /// Keys of run.json that differ. The list has only "run.json" if the file is unreadable.
  std::vector<std::string> keys;
  bool has_results = false;  ///< true for a removed run whose folder has results
};
/// Changes that a new plan would make, for `dlscale plan --diff --json`.
struct PlanChanges {
  std::vector<RunChange> added, removed, changed, stale;
  std::size_t unchanged = 0;
  std::size_t moved = 0;  ///< number of unchanged runs that move to another job
  /// GPU-hours by kind of change. The keys are "added", "removed", "changed" and "stale".
  std::map<std::string, double> gpu_hours;
};
std::string to_json(const PlanChanges& changes);
/// Fields of `plan.json` that describe the study as a whole.
struct PlanHead {
  int schema_version = 0;
  std::string study;
  PlanOrigin origin;
  RepeatUntil until;
};
/// Returns the head of a `plan.json` without reading the runs into memory. Reading only the head is
/// faster, because a plan can have many thousand runs. Throws the same errors as plan_from_json.
PlanHead plan_head(std::string_view text, std::string_view file);
/// Returns the head of the plan of a folder. Returns nothing if the folder has no plan, or a plan
/// that is broken or cannot be read.
std::optional<PlanHead> find_plan_head(const PlanDir& folder);
/// Returns the name of the study in a `plan.json`. Throws the same errors as plan_head.
std::string study_of_plan(std::string_view text, std::string_view file);

// Descriptions of the runs of job arrays. A task creates the folder of its run when the task
// starts. Until then, a line in the table of the array describes the run.

class RunTables {
 public:
  /// Finds the table lines of all runs in job arrays. `plan` and `folder` must outlive this object.
  /// A table is read when one of its runs is requested, and only one table is held at a time.
  RunTables(const Plan& plan, const PlanDir& folder);

  struct Line {
    std::filesystem::path file;
    std::string json;  ///< content of a run.json
  };
  /// Returns the line of a run. Returns nothing if the run is not part of an array or the table
  /// lacks the line.
  std::optional<Line> find(std::string_view run_id);
  bool has(std::string_view run_id) const { return places_.find(run_id) != places_.end(); }

 private:
  const PlanDir& folder_;
  std::map<std::string, std::pair<std::string, std::size_t>, std::less<>>
      places_;  // table and line of each run id
  std::string held_;
  std::vector<std::string> lines_;  // lines of the table `held_`
};

}  // namespace dlscale::contract
