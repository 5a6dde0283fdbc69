// SPDX-License-Identifier: Apache-2.0
// Turns a study file and a site into a folder of run descriptions and job scripts.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "planner/jobs/finished_runs.hpp"
#include "planner/jobs/plan_jobs.hpp"
#include "planner/site/machine.hpp"
#include "planner/study/run_names.hpp"
#include "planner/warnings.hpp"

namespace dlscale::planner {

/// Files that are installed with this program or were built next to it.
struct Resources {
  std::filesystem::path sites, templates;
  /// Template of the user that replaces the default.
  std::optional<std::filesystem::path> job_template;
  /// Capabilities file of the trainer built next to this program.
  std::optional<std::filesystem::path> capabilities;
  std::optional<std::filesystem::path> trainer;  ///< dlscale-train built next to this program
  /// Folders of cost models and devices. If both folders are given, points that do not fit the
  /// memory of their GPU are left out. Otherwise the memory is not checked.
  std::optional<std::filesystem::path> cards = {}, devices = {};
  /// Log format that a study describes.
  struct OwnFormat {
    std::string name;
    std::vector<std::string> warnings;  ///< probable mistakes in the format, with their places
  };
  /// Checks a log format that a study describes. Throws base::SpecError with the place of an error.
  /// The first argument is the text of the format, and the second argument is the file that
  /// contains this text. If the function is empty, studies cannot describe formats.
  std::function<OwnFormat(const std::string&, const std::string&)> own_format = {};
  /// Machine that runs the jobs of local sites. If empty, runs are not compared with the machine.
  std::optional<Machine> machine = {};
  /// File of this program. A plan folder is written again after this file changed. Empty if the
  /// program stays the same.
  std::filesystem::path program = {};
};

struct PlanRequest {
  std::filesystem::path study;
  std::string site = "local";           ///< name in the sites folder, or path to a .toml file
  std::vector<std::string> overrides;   ///< -S arguments: key=value
  std::optional<double> max_gpu_hours;  ///< limit that replaces the study's limit
  bool fit = false;                     ///< flag: leave out points to meet the limit
};

/// Jobs and runs of an earlier plan of the study, from the same plan folder.
struct EarlierPlan {
  /// Folder to which the plan will be written. If the study is the copy in this folder, the plan
  /// keeps the origin of the earlier plan.
  std::optional<contract::PlanDir> folder = {};
  /// Jobs of the earlier plan. Single jobs stay, and so do arrays and packed jobs that are still
  /// valid.
  std::vector<contract::PlannedJob> jobs = {};
  /// Runs that have started. Automatic time limits are derived from the runs that have also
  /// finished.
  std::vector<FinishedRun> runs = {};
};

/// Makes a plan in three steps: the constructor reads the study, expand() derives the points and
/// finish() arranges the jobs. Between the steps the caller may select points. Writes no files.
class Planner {
 public:
  /// Reads the study and the site. `resources` must outlive the planner. Throws base::SpecError or
  /// base::UsageError for a study or site that is wrong or cannot be read.
  Planner(const PlanRequest& request, const Resources& resources);

  /// Returns the plan as far as it is known: study, site and axes, and after expand() also the
  /// skipped points.
  const contract::Plan& plan() const { return planning_.plan; }
  bool has_substudies() const { return planning_.study.matrices.size() > 1; }
  /// Returns whether jobs of an earlier plan may stay in the new plan.
  bool keeps_jobs() const;
  /// Returns whether time limits are derived from finished runs of an earlier plan.
  bool learns_limits() const;

  /// Derives the run of each point for which `wanted` returns true, or of all points if `wanted` is
  /// empty. Runs that `names` contains keep their names. If `wanted` is not empty, returns the
  /// number of evaluated points and the number of wanted points. Throws the errors of
  /// planner::expand.
  std::optional<Asked> expand(const Wanted& wanted = {}, const RunNames& names = {});
  /// Returns the plan with the runs that expand() derived: names, points, GPUs and batches. Times
  /// and jobs are not known yet.
  contract::Plan outline() const;
  /// Keeps only the points whose run ids are in `run_ids`. Throws base::UsageError if `run_ids`
  /// contains some but not all repetitions of a point.
  void keep(const std::set<std::string>& run_ids);

  /// Gives each run its resources and arranges the runs in jobs. The planner must not be used
  /// afterwards. Throws base::SpecError for a run that the site cannot start and for a plan that
  /// costs too much.
  Planning finish(EarlierPlan earlier = {});

 private:
  const PlanRequest request_;
  const Resources& resources_;
  std::string study_text_;
  std::optional<Knowledge> trainer_;
  std::vector<std::string> format_warnings_;  ///< warnings about the log format of the study
  Planning planning_;
};

/// Plans all points of the requested study without an earlier plan. Throws the errors of Planner.
Planning make_plan(const PlanRequest& request, const Resources& resources);

/// Returns the job script of plan.jobs[job] for a plan folder at `out`. Throws base::SpecError if
/// the template uses an unknown name, or if a value is not allowed at the place where the template
/// uses the value.
std::string job_script(const Planning& planning, std::size_t job, const Resources& resources,
                       const contract::PlanDir& out);

struct WrittenPlan {
  int written = 0;    ///< number of new or changed files
  int unchanged = 0;  ///< number of files that were already correct
  /// Ids of runs whose results belong to another description. The files of these runs are kept.
  std::vector<std::string> stale;
};

/// Returns what write_plan() would do to the folder, without writing anything. Throws the errors of
/// job_script() for any of the jobs. Throws base::UsageError if the folder holds the plan of
/// another study.
WrittenPlan check_plan(const Planning& planning, const Resources& resources,
                       const contract::PlanDir& out);

/// Writes the plan folder, with plan.json last. Deletes no files of the user. If write_plan()
/// throws one of the following errors, the folder is unchanged: the errors of check_plan(), and
/// base::UsageError for a folder that cannot be made. Throws base::RunError if a file cannot be
/// written.
WrittenPlan write_plan(const Planning& planning, const Resources& resources,
                       const contract::PlanDir& out);

}  // namespace dlscale::planner
