// SPDX-License-Identifier: Apache-2.0
// dlscale-train as a user starts it: alone or under mpirun, in a run folder of its own.
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

/// How a job ended.
struct JobEnd {
  int exit_code = -1;  ///< 128 + signal if a signal ended it
  double wall_s = 0;   ///< from end()'s call
  std::string out;
  std::string err;
};

class Job {
 public:
  /// A run folder with this run.json.
  explicit Job(const std::string& run_json);
  explicit Job(const contract::RunSpec& spec) : Job(contract::to_json(spec)) {}
  /// Kills what is left of it.
  ~Job();

  /// Shell commands for each rank before it becomes dlscale-train, whose command is "$@" by then.
  void begin_ranks_with(const std::string& commands) { first_ = commands; }
  /// Starts dlscale-train, with `more` words behind --run DIR; under mpirun unless `ranks` is 0.
  void start(int ranks, const std::vector<std::string>& more = {});
  JobEnd end();
  JobEnd run(int ranks, const std::vector<std::string>& more = {}) {
    start(ranks, more);
    return end();
  }
  /// Waits until results.jsonl holds a step_window.
  void wait_for_training() const;
  /// Waits until the condition holds. Throws when the job ends before.
  void wait_for(const std::function<bool()>& condition) const;
  pid_t pid() const { return pid_; }               ///< of mpirun, or of dlscale-train
  pid_t pid_of_rank(int rank) const;               ///< under mpirun only
  std::string results_text(int launch = 1) const;  ///< empty if there is none
  contract::ResultsFile results(int launch = 1) const;
  std::filesystem::path folder() const { return folder_ / "run"; }

 private:
  bool has_ended() const;

  TempDir folder_;
  std::string first_;  ///< of each rank, under mpirun
  pid_t pid_ = 0;
};

}  // namespace dlscale::test
