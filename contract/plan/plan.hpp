// SPDX-License-Identifier: Apache-2.0
// The ordered list of runs and jobs that `dlscale plan` wrote: what `plan.json` holds, and the
// tables of job arrays.
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

// The ordered list of runs and jobs that `dlscale plan` wrote: what `plan.json` holds.

inline constexpr int kPlanVersion = 1;

/// The reference of speed-ups: "smallest-common" (the smallest GPU count that all curves have),
/// "per-curve" (each curve's own smallest) or "gpus" (the given count).
struct BaselineRule {
  std::string rule = "smallest-common";
  int gpus = 0;
  bool operator==(const BaselineRule&) const = default;
};

/// How certain results have to be before repetitions end.
struct RepeatUntil {
  double efficiency_ci = 0;  ///< half the width of each efficiency's interval; 0 = no such wish
  int first = 0;             ///< repetitions in any case; the others as they are needed
  bool operator==(const RepeatUntil&) const = default;
};

struct PlannedRun {
  std::string run_id;
  int repetition = 1;
  std::map<std::string, std::string> point;  ///< axis values, as in RunSpec
  std::vector<std::string> substudies;       ///< those that ask for it; empty: the study itself
  std::string job;                           ///< name of the job that runs it
  std::string log_format;                    ///< of an external trainer; empty: dlscale-train's
  int gpus = 1;
  std::int64_t batch_per_gpu = 0;
  std::int64_t global_batch = 0;
  int epochs = 0;          ///< 0 = the study does not say it of an external trainer
  double lr_peak = 0;      ///< 0: not said, of an external trainer
  double predicted_s = 0;  ///< expected wall time; 0 = no prediction
  /// Edges of the band that predicted_s lies in. 0, 0: not recorded, as in plans of earlier
  /// versions.
  double predicted_low_s = 0;
  double predicted_high_s = 0;
  double gpu_hours = 0;  ///< its share of what its job may take
  bool stale = false;    ///< its results are of an earlier description, which was left alone
  bool operator==(const PlannedRun&) const = default;
};

struct PlannedJob {
  std::string name;                  ///< file name of the script without .sh
  std::vector<std::string> run_ids;  ///< in the order they start; an array's tasks in their order
  ResourceRequest resources;         ///< of the job; of each task of an array
  JobKind kind = JobKind::single;
  std::string partition;  ///< of the site; empty on a site without any
  double gpu_hours = 0;   ///< what it may take: charged GPUs x walltime, all tasks together
  std::string table;      ///< array: stem of the file with a line for each run
  int offset = 0;         ///< array: lines of the table before this job's first
  int throttle = 0;       ///< array: tasks at a time; 0 = no limit
  int chain = 0;          ///< number of its chain, from 1; 0 = in none
  std::vector<std::string> after;  ///< jobs that must have ended before this one starts
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

struct Plan {
  int schema_version = kPlanVersion;
  std::string study;
  std::string scaling;
  std::string site;
  std::string scheduler;  ///< local, slurm, oar
  BaselineRule baseline;
  int repeats = 1;  ///< most of each point
  RepeatUntil until;
  std::vector<Axis> axes;
  std::vector<PlannedRun> runs;
  std::vector<PlannedJob> jobs;
  std::vector<SkippedPoint> skipped;
  std::vector<std::string> warnings;
  bool operator==(const Plan&) const = default;
};

/// `plan.json`: sorted keys, a line for each run, job and skipped point, final newline.
std::string to_json(const Plan& plan);
/// The same in pieces, for plans too large to hold as text.
void write_json(const Plan& plan, const std::function<void(std::string_view)>& sink);
/// Throws base::SpecError; `file` is only named in messages.
Plan plan_from_json(std::string_view text, std::string_view file);
/// The plan that a folder holds. Throws base::UsageError when there is none, base::SpecError when
/// it is broken, which says how to get another.
Plan read_plan(const PlanDir& folder);
/// The same for those who write the folder's plan anew: nothing when there is none or a broken one.
std::optional<Plan> find_plan(const PlanDir& folder);
/// A run and how far it is, for `dlscale list`.
struct ListedRun {
  PlannedRun run;
  std::string state;
};
/// A list of objects: what plan.json says of each run, and its state.
std::string to_json(const std::vector<ListedRun>& runs);
/// How planning again would change a run.
struct RunChange {
  std::string run_id;
  double gpu_hours = 0;           ///< of a removed run: what it was planned to take
  std::vector<std::string> keys;  ///< of run.json that differ; "run.json" where it cannot be read
  bool has_results = false;       ///< of a removed run: its folder keeps them
};
/// What planning again would change, for `dlscale plan --diff --json`.
struct PlanChanges {
  std::vector<RunChange> added, removed, changed, stale;
  std::size_t unchanged = 0;
  std::size_t moved = 0;  ///< of the unchanged ones: runs of other jobs than before
  std::map<std::string, double> gpu_hours;  ///< of each of the lists, by its name
};
std::string to_json(const PlanChanges& changes);
/// The study that a `plan.json` is of, without reading its runs into memory. Throws as
/// plan_from_json does.
std::string study_of_plan(std::string_view text, std::string_view file);

// The descriptions of the runs of job arrays: a task makes the folder of its run when it starts;
// until then its line of the array's table describes it.

class RunTables {
 public:
  /// Both must outlive it. Files are read when first asked for, one is held at a time.
  RunTables(const Plan& plan, const PlanDir& folder);

  struct Line {
    std::filesystem::path file;
    std::string json;  ///< of a run.json
  };
  /// Empty for a run of no array, and where the table has no such line.
  std::optional<Line> find(std::string_view run_id);
  bool has(std::string_view run_id) const { return places_.find(run_id) != places_.end(); }

 private:
  const PlanDir& folder_;
  std::map<std::string, std::pair<std::string, std::size_t>, std::less<>>
      places_;  // run id → table and line
  std::string held_;
  std::vector<std::string> lines_;  // of the table `held_`
};

}  // namespace dlscale::contract
