// SPDX-License-Identifier: Apache-2.0
// Finds the reason that the records give when a run stops because one of its ranks is gone.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "contract/plan/run_dir.hpp"
#include "contract/records/result_record.hpp"
#include "trainer/comm/collective_queue.hpp"

namespace dlscale::trainer {

/// Identifies the process of a rank; zeros where the system does not say.
struct RankProcess {
  std::int64_t machine = 0;  ///< another number for each machine and each of its boots
  std::int64_t space = 0;    ///< PID namespace
  std::int64_t number = 0;   ///< process id
  static RankProcess of_this_one();
};

/// Rank 0 alone writes the records. A launcher that has lost a rank ends the other ranks by
/// SIGTERM, and so does a user who cancels the job. This protocol lets the records name the cause
/// anyway:
///
/// 1. Each rank knows the processes of all ranks. It can see whether a process on its own node has
///    ended. It cannot see processes on other nodes.
/// 2. A rank that fails reports its run_stop in the launch's rank_stop.jsonl before it ends the
/// job.
///    The first report is the cause. A rank that lost its connection to another rank waits for the
///    other rank's report first.
/// 3. A rank that receives a signal reports a rank of its node that had ended before. It then waits
///    until rank 0 has ended, so that no rank takes this rank for the one that ended first.
/// 4. Rank 0, when it receives a signal, records the rank of its node that had ended, else the
///    report, else the signal. It waits for the report where there are ranks on other nodes.
/// 5. If rank 0 itself has ended, the first rank left on its node completes the records.
///
/// A rank waits for at most kPatience, rank 0 for half of it.
class RankMonitor {
 public:
  /// Open MPI kills a rank one second after the signal.
  static constexpr std::chrono::milliseconds kPatience{800};

  /// `processes`: of each rank, in order.
  RankMonitor(int rank, std::vector<RankProcess> processes);
  /// **Collective.**
  explicit RankMonitor(CollectiveQueue& ranks);

  /// Sets the folder for reports. Without a folder nothing is reported. The members below may be
  /// called by any thread at any time and do not throw.
  void enter(const contract::LaunchDir& launch);

  /// Reports that this rank, which is not rank 0, fails with `stop` (points 2 and 5).
  /// `lost_connection`: the failure may be the consequence of another rank's failure.
  void report_failure(contract::RunStop stop, bool lost_connection);
  /// Handles a signal to this rank, which is not rank 0 (points 3 and 5).
  void handle_signal(contract::RunStop stop);
  /// Returns what rank 0 records when it receives a signal (point 4).
  contract::RunStop reason_of_signal(contract::RunStop stop);
  /// Returns the first report, or `stop` without one. `lost_connection`: waits for a report.
  contract::RunStop first_reported(contract::RunStop stop, bool lost_connection);

  // State of the other ranks, as far as this rank can see it.

  bool sees(int rank) const;
  bool has_gone(int rank) const;
  /// Returns the first other rank that has ended; nothing if no visible rank has.
  std::optional<int> first_gone() const;
  /// Returns true if rank 0 has ended and this rank is the first visible one left.
  bool succeeds_root() const;
  /// Returns the ranks that this rank cannot see.
  std::vector<int> unseen() const;
  /// Returns true if no other rank can see `rank`.
  bool is_alone(int rank) const;

 private:
  bool see_each_other(int a, int b) const;
  std::optional<contract::LaunchDir> launch() const;
  std::optional<contract::RunStop> report() const;
  std::optional<contract::RunStop> await_report() const;
  void write_report(contract::RunStop stop) const;
  void complete_records(contract::RunStop stop);

  int rank_;
  std::vector<RankProcess> processes_;
  mutable std::mutex mutex_;
  std::optional<contract::LaunchDir> launch_;
  std::once_flag completed_;  ///< two threads may complete the records
};

}  // namespace dlscale::trainer
