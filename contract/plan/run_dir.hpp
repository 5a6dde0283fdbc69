// SPDX-License-Identifier: Apache-2.0
// Builds and parses every file name in plan folders and run folders.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::contract {

/// Folder launch-<k>/checkpoint/save-<n> with the saved state of a run. The folder gets this name
/// when the state is complete.
class CheckpointDir {
 public:
  explicit CheckpointDir(std::filesystem::path root) : root_(std::move(root)) {}
  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path header() const { return root_ / "header.json"; }
  /// Returns the path of the folder while the checkpoint is being written.
  std::filesystem::path draft() const { return root_.string() + ".part"; }
  /// Returns the name of the file in which a rank saves tensors. Each rank saves the tensors that
  /// no other rank has. Rank 0 also saves the tensors that are equal on all ranks.
  static std::string rank_file(int rank) { return "rank-" + std::to_string(rank) + ".pt"; }
  /// Returns n of save-<n>, or 0 if the folder's name has another form.
  int number() const;

 private:
  std::filesystem::path root_;
};

/// Folder runs/<run_id>/launch-<k> of one attempt of a run.
class LaunchDir {
 public:
  explicit LaunchDir(std::filesystem::path root) : root_(std::move(root)) {}
  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path results() const { return root_ / "results.jsonl"; }
  std::filesystem::path out() const { return root_ / "stdout"; }
  std::filesystem::path err() const { return root_ / "stderr"; }
  /// Returns the path of the file in which a failed rank other than 0 writes its run_stop record.
  /// Rank 0 reads the reason for its own run_stop record from this file.
  std::filesystem::path rank_stop() const { return root_ / "rank_stop.jsonl"; }
  /// Returns the path of the file with the weights of the model after the last step. The file
  /// exists only if the description of the run requests the weights.
  std::filesystem::path weights() const { return root_ / "model.safetensors"; }
  std::filesystem::path checkpoint() const { return root_ / "checkpoint"; }
  CheckpointDir saved(int n) const;
  /// Returns the complete checkpoints, sorted by number.
  std::vector<CheckpointDir> all_saved() const;
  /// Returns k of launch-<k>, or 0 if the folder's name has another form.
  int number() const;

 private:
  std::filesystem::path root_;
};

/// Folder runs/<run_id> of a run and its launches.
class RunDir {
 public:
  explicit RunDir(std::filesystem::path root) : root_(std::move(root)) {}
  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path run_json() const { return root_ / "run.json"; }
  /// Returns the path of run.json for a run, relative to the folder of all runs.
  static std::string run_json_in(const std::string& run_id) { return run_id + "/run.json"; }
  /// Returns the path of the folder of rendered configuration files, relative to the folder of all
  /// runs. Each launch of the run gets copies of these files.
  static std::string files_in(const std::string& run_id) { return run_id + "/files"; }
  LaunchDir launch(int k) const;
  /// Returns the existing launches, sorted by number.
  std::vector<LaunchDir> launches() const;
  /// Creates launch-<k> with the next free k. The folder is created by an exclusive mkdir, so that
  /// two processes that start the same run get different folders. Throws base::RunError if the
  /// folder cannot be created.
  LaunchDir make_next_launch() const;

 private:
  std::filesystem::path root_;
};

/// Folder that `dlscale plan` writes.
class PlanDir {
 public:
  explicit PlanDir(std::filesystem::path root) : root_(std::move(root)) {}
  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path plan_json() const { return root_ / "plan.json"; }
  std::filesystem::path study_toml() const { return root_ / "study.toml"; }
  std::filesystem::path site_toml() const { return root_ / "site.toml"; }
  /// Returns the path of the copy of the user's log format (`trainer.read` of the study). The file
  /// exists only if the study describes a format.
  std::filesystem::path log_format_toml() const { return root_ / "log_format.toml"; }
  /// Returns the path of the shell functions that unset inherited environment variables. All job
  /// scripts read this file at their start.
  std::filesystem::path inherited_variables() const { return root_ / "inherited_variables.sh"; }
  /// Returns the path of the file with a digest of the plan's inputs and outputs. If the digest
  /// still matches, the next `dlscale plan` need not compare the contents of all files.
  std::filesystem::path fingerprint() const { return root_ / ".sealed"; }
  /// Returns the path of a file that exists only while a plan is being written.
  std::filesystem::path incomplete_marker() const { return root_ / ".writing"; }
  std::filesystem::path launch_log() const { return root_ / "launch.jsonl"; }
  /// Returns the path of the file to which predictions of runs are appended.
  std::filesystem::path predictions() const { return root_ / "predictions.jsonl"; }
  std::filesystem::path runs() const { return root_ / "runs"; }
  std::filesystem::path jobs() const { return root_ / "jobs"; }
  std::filesystem::path logs() const { return root_ / "logs"; }
  std::filesystem::path tables() const { return root_ / "tables"; }
  std::filesystem::path figures() const { return root_ / "figures"; }
  /// Returns the path of the list of figures that `dlscale collect` wrote, with their digests.
  std::filesystem::path collected_figures() const { return figures() / ".collected"; }
  std::filesystem::path database() const { return root_ / "results.sqlite"; }
  RunDir run(std::string_view run_id) const { return RunDir(runs() / run_id); }
  std::filesystem::path job_script(std::string_view job) const;
  /// Returns the name of a job's script in the folder of all jobs.
  static std::string script_name(const std::string& job) { return job + ".sh"; }
  /// Returns the path of the table of a job array. Line k holds the run.json of the k-th task.
  std::filesystem::path run_table(std::string_view table) const;
  /// Returns the path of the file of parameters that OAR passes to the tasks of an array. Each task
  /// gets the number of its line in the table.
  std::filesystem::path array_parameters(std::string_view job) const;
  /// Returns the path of the file in which the batch system captures the standard output of a job.
  std::filesystem::path job_out(std::string_view job) const;
  std::filesystem::path job_err(std::string_view job) const;
  /// Returns the path of the file with the standard output of a run that shares its job with other
  /// runs.
  std::filesystem::path run_out(std::string_view run_id) const;
  std::filesystem::path run_err(std::string_view run_id) const;
  /// Returns the path of the file in which the job script records the start and the end of a run.
  /// The lines are launch records. Only the job script writes to the file.
  std::filesystem::path run_notes(std::string_view run_id) const;
  /// Returns the folder of the descriptions of the code and the software that external runs use.
  std::filesystem::path software() const { return root_ / "software"; }
  /// Returns the path of the script that writes a description of the code and the software. Only
  /// plans of external runs have this script.
  std::filesystem::path describe_script() const { return software() / "describe.sh"; }
  /// Returns the path of the description of the code and the software with this name. The name
  /// comes from LaunchRecord::software.
  std::filesystem::path software_record(const std::string& name) const {
    return software() / (name + ".json");
  }
  /// Returns the path of the file of cancel requests. The lines are launch records. A process locks
  /// the file before it appends records.
  std::filesystem::path cancel_requests() const { return logs() / "cancel.jsonl"; }

 private:
  std::filesystem::path root_;
};

}  // namespace dlscale::contract
