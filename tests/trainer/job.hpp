// SPDX-License-Identifier: Apache-2.0
// Process of dlscale-train that a test starts as a user would: alone or under mpirun, in its own
// run folder.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "contract/records/result_record.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "tests/support/temp_dir.hpp"

namespace dlscale::test {

/// Result of a job.
struct JobEnd {
  int exit_code = -1;  ///< exit code, or 128 + signal if a signal ended the job
  double wall_s = 0;   ///< seconds since the call of end()
  std::string out;
  std::string err;
};

class Job {
 public:
  /// Creates a run folder with this run.json.
  explicit Job(const std::string& run_json);
  explicit Job(const contract::RunSpec& spec) : Job(contract::to_json(spec)) {}
  /// Kills the job if it still runs.
  ~Job();

  /// Sets shell commands that each rank runs before it becomes dlscale-train. The command line of
  /// dlscale-train is "$@" in these commands.
  void begin_ranks_with(const std::string& commands) { first_ = commands; }
  /// Starts dlscale-train with `more` arguments after --run DIR. Uses mpirun unless `ranks` is 0.
  void start(int ranks, const std::vector<std::string>& more = {});
  JobEnd end();
  JobEnd run(int ranks, const std::vector<std::string>& more = {}) {
    start(ranks, more);
    return end();
  }
  /// Waits until results.jsonl contains a step_window.
  void wait_for_training() const;
  /// Waits until the condition holds. Throws if the job ends before.
  void wait_for(const std::function<bool()>& condition) const;
  pid_t pid() const { return pid_; }               ///< process id of mpirun or dlscale-train
  pid_t pid_of_rank(int rank) const;               ///< process id of a rank, under mpirun only
  std::string results_text(int launch = 1) const;  ///< content of results.jsonl, or empty
  contract::ResultsFile results(int launch = 1) const;
  std::filesystem::path folder() const { return folder_ / "run"; }

 private:
  bool has_ended() const;

  TempDir folder_;
  std::string first_;  ///< shell commands of each rank, under mpirun
  pid_t pid_ = 0;
};

}  // namespace dlscale::test
