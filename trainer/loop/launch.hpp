// SPDX-License-Identifier: Apache-2.0
// One attempt of a run, from reading run.json to the last record.
#pragma once

#include <atomic>
#include <exception>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "trainer/comm/collective_queue.hpp"
#include "trainer/comm/mpi.hpp"
#include "trainer/failure/failure.hpp"
#include "trainer/failure/rank_monitor.hpp"
#include "trainer/failure/signal_watch.hpp"
#include "trainer/loop/trainer.hpp"
#include "trainer/record/result_writer.hpp"

namespace dlscale::trainer {

/// One in a process, made before any other thread.
class Launch {
 public:
  /// `profile`: records a profile, also where the run's description does not say so.
  Launch(const std::string& run_folder, bool profile);
  ~Launch();
  /// **Collective.** Trains. Returns the program's exit code.
  int run();
  /// After run() threw: says why, once, and sees to it that every rank ends. Returns the exit code.
  int fail(const std::exception& error);

 private:
  contract::RunSpec read_description();
  void require_started(const contract::RunSpec& spec, const std::string& file) const;
  void choose_communicator(const contract::RunSpec& spec);
  void open_folder(const contract::RunSpec& spec);
  /// Rank 0 tells the user which files of the data set were skipped.
  void report_skipped(const std::string& lines);
  void write_start(const contract::RunSpec& spec, const TrainerParts& parts,
                   const Resumed& resumed);
  int finish(const FitResult& result);
  contract::RunStop stop_of(const Failure& failure) const;
  void stop_by(const std::string& signal, int exit_code);
  bool is_root() const { return !session_ || session_->rank() == 0; }

  base::SystemClock clock_;
  const double start_s_ = clock_.steady_s();
  contract::RunDir folder_;
  const bool profile_;
  ResultWriter writer_;
  std::optional<RankMonitor> monitor_;
  std::atomic<RankMonitor*> shown_monitor_ = nullptr;  ///< the same, for the watch's thread
  SignalWatch watch_;
  std::optional<MpiSession> session_;
  Placement placement_;
  std::unique_ptr<Communicator> communicator_;
  std::optional<CollectiveQueue> queue_;
  /// Kept until fail() has ended the others: what goes lets its messages arrive, for which two
  /// ranks that fail would wait for each other.
  std::optional<TrainerParts> parts_;
  int number_ = 0;         ///< k of launch-<k>; 0: there is no folder yet
  std::string allocator_;  ///< how memory is kept, in words
};

}  // namespace dlscale::trainer
