// SPDX-License-Identifier: Apache-2.0
// One launch of a run, from reading run.json to the last record.
//
// Failure handling determines the design. A failing rank must end the other ranks, which would
// otherwise wait forever, and the records must name the first cause. Failures that all ranks share
// (SharedError) end every rank in order. After any other failure, the rank reports the cause and
// aborts the MPI session.
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

/// Launch of a run in this process. The instance must be created before any other thread, and a
/// process creates only one.
class Launch {
 public:
  /// Prepares the launch. `profile` requests a profile in addition to the setting in the run
  /// description.
  Launch(const std::string& run_folder, bool profile);
  ~Launch();
  /// **Collective.** Trains the model. Returns the exit code of the program.
  int run();
  /// Reports the error that run() threw, once, and makes sure that every rank ends. Returns the
  /// exit code.
  int fail(const std::exception& error);

 private:
  contract::RunSpec read_description();
  void require_started(const contract::RunSpec& spec, const std::string& file) const;
  void choose_communicator(const contract::RunSpec& spec);
  void open_folder(const contract::RunSpec& spec);
  /// Logs and prints on rank 0 which files of the data set were skipped.
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
  std::atomic<RankMonitor*> shown_monitor_ = nullptr;  ///< copy for the signal thread
  SignalWatch watch_;
  std::optional<MpiSession> session_;
  Placement placement_;
  std::unique_ptr<Communicator> communicator_;
  std::optional<CollectiveQueue> queue_;
  /// Parts of the run. They are kept until fail() has ended the other ranks. Their destructors wait
  /// until pending messages arrive, so two failing ranks would otherwise wait for each other.
  std::optional<TrainerParts> parts_;
  int number_ = 0;         ///< k of launch-<k>, 0 before the folder exists
  std::string allocator_;  ///< description of the memory allocator settings
};

}  // namespace dlscale::trainer
