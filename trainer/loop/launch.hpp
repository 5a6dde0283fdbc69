// SPDX-License-Identifier: Apache-2.0
// One launch of a run, from reading run.json to the last record.
//
// The handling of failures determines the design of this class. A failing rank must end the other
// ranks, because the other ranks would otherwise wait for it forever. The records must name the
// first failure, because it caused the other failures. When all ranks throw the same failure
// (SharedError), every rank ends normally. After any other failure, the failing rank reports the
// cause and aborts the MPI session.
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

/// Launch of a run in this process. A process creates only one instance, and must create the
/// instance before it starts any thread.
class Launch {
 public:
  /// Prepares the launch. If `profile` is true, the launch records a profile even if the run
  /// description does not request one.
  Launch(const std::string& run_folder, bool profile);
  ~Launch();
  /// **Collective.** Trains the model. Returns the exit code of the program.
  int run();
  /// Reports the error that run() threw, and makes sure that every rank ends. An error that all
  /// ranks share is reported only once. Returns the exit code of the program.
  int fail(const std::exception& error);

 private:
  contract::RunSpec read_description();
  void require_started(const contract::RunSpec& spec, const std::string& file) const;
  void choose_communicator(const contract::RunSpec& spec);
  void open_folder(const contract::RunSpec& spec);
  /// On rank 0, logs and prints which files of the data set were skipped. `lines` has one line for
  /// each skipped file.
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
  std::atomic<RankMonitor*> shown_monitor_ = nullptr;  ///< rank monitor for the signal thread
  SignalWatch watch_;
  std::optional<MpiSession> session_;
  Placement placement_;
  std::unique_ptr<Communicator> communicator_;
  std::optional<CollectiveQueue> queue_;
  /// Parts of the run. The destructors of the parts wait for pending messages from other ranks. If
  /// run() destroyed the parts, two failing ranks could wait for each other forever. The parts are
  /// therefore members and exist until fail() has ended the other ranks.
  std::optional<TrainerParts> parts_;
  int number_ = 0;         ///< number of the launch, 0 before its folder launch-<number> exists
  std::string allocator_;  ///< description of the memory allocator settings
};

}  // namespace dlscale::trainer
