// SPDX-License-Identifier: Apache-2.0
// Every file name in a plan folder and in a run folder is made and parsed here.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::contract {

/// launch-<k>/checkpoint/save-<n>: the state of a run, complete as soon as the folder has this
/// name.
class CheckpointDir {
 public:
  explicit CheckpointDir(std::filesystem::path root) : root_(std::move(root)) {}
  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path header() const { return root_ / "header.json"; }
  /// Where the folder grows before it is complete.
  std::filesystem::path draft() const { return root_.string() + ".part"; }
  /// The tensors that a rank saves: rank 0 what all have alike, each what it alone has.
  static std::string rank_file(int rank) { return "rank-" + std::to_string(rank) + ".pt"; }
  /// n; 0 if the name is not of that form.
  int number() const;

 private:
  std::filesystem::path root_;
};

/// runs/<run_id>/launch-<k>: one attempt of a run.
class LaunchDir {
 public:
  explicit LaunchDir(std::filesystem::path root) : root_(std::move(root)) {}
  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path results() const { return root_ / "results.jsonl"; }
  std::filesystem::path out() const { return root_ / "stdout"; }
  std::filesystem::path err() const { return root_ / "stderr"; }
  /// The run_stop of another rank than 0 that failed by itself: rank 0 then ends for its reason.
  std::filesystem::path rank_stop() const { return root_ / "rank_stop.jsonl"; }
  /// The model's weights after the last step, where the run asks for them.
  std::filesystem::path weights() const { return root_ / "model.safetensors"; }
  std::filesystem::path checkpoint() const { return root_ / "checkpoint"; }
  CheckpointDir saved(int n) const;
  /// Complete ones in order of their number.
  std::vector<CheckpointDir> all_saved() const;
  /// k; 0 if the name is not of that form.
  int number() const;

 private:
  std::filesystem::path root_;
};

/// runs/<run_id>: a run and its launches.
class RunDir {
 public:
  explicit RunDir(std::filesystem::path root) : root_(std::move(root)) {}
  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path run_json() const { return root_ / "run.json"; }
  /// run.json of a run, in the folder of all runs.
  static std::string run_json_in(const std::string& run_id) { return run_id + "/run.json"; }
  LaunchDir launch(int k) const;
  /// Existing launches in order of their number.
  std::vector<LaunchDir> launches() const;
  /// Makes launch-<k> with the next free k, by exclusive mkdir, so that two starters cannot share
  /// one. Throws base::RunError when the folder cannot be written.
  LaunchDir make_next_launch() const;

 private:
  std::filesystem::path root_;
};

/// The folder `dlscale plan` writes.
class PlanDir {
 public:
  explicit PlanDir(std::filesystem::path root) : root_(std::move(root)) {}
  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path plan_json() const { return root_ / "plan.json"; }
  std::filesystem::path study_toml() const { return root_ / "study.toml"; }
  std::filesystem::path site_toml() const { return root_ / "site.toml"; }
  /// Tells the next plan that nobody touched what this one wrote.
  std::filesystem::path seal() const { return root_ / ".sealed"; }
  /// There while a plan is written.
  std::filesystem::path write_mark() const { return root_ / ".writing"; }
  std::filesystem::path launch_log() const { return root_ / "launch.jsonl"; }
  /// What was said of runs beforehand: run predictions, appended.
  std::filesystem::path predictions() const { return root_ / "predictions.jsonl"; }
  std::filesystem::path runs() const { return root_ / "runs"; }
  std::filesystem::path jobs() const { return root_ / "jobs"; }
  std::filesystem::path logs() const { return root_ / "logs"; }
  std::filesystem::path tables() const { return root_ / "tables"; }
  std::filesystem::path figures() const { return root_ / "figures"; }
  std::filesystem::path database() const { return root_ / "results.sqlite"; }
  RunDir run(std::string_view run_id) const { return RunDir(runs() / run_id); }
  std::filesystem::path job_script(std::string_view job) const;
  /// Its name in the folder of all jobs.
  static std::string script_name(const std::string& job) { return job + ".sh"; }
  /// Of an array: line k is the run.json of its k-th task, on one line.
  std::filesystem::path run_table(std::string_view table) const;
  /// What OAR gives the tasks of an array: for each the number of its line in the table.
  std::filesystem::path array_parameters(std::string_view job) const;
  /// What the batch system captures of a job.
  std::filesystem::path job_out(std::string_view job) const;
  std::filesystem::path job_err(std::string_view job) const;
  /// Likewise of a run that shares its job with others.
  std::filesystem::path run_out(std::string_view run_id) const;
  std::filesystem::path run_err(std::string_view run_id) const;
  /// Where the script of its job notes a run's start and end: launch records, one writer.
  std::filesystem::path run_notes(std::string_view run_id) const;
  /// The ends that users wished for: launch records, appended by whoever holds the file's lock.
  std::filesystem::path cancel_wishes() const { return logs() / "cancel.jsonl"; }

 private:
  std::filesystem::path root_;
};

}  // namespace dlscale::contract
