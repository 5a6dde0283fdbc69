// SPDX-License-Identifier: Apache-2.0
// Search for the reason to record when a run stops because one of its ranks is gone.
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

/// Process of a rank. A value is 0 if the system does not report it.
struct RankProcess {
  std::int64_t machine = 0;  ///< number that differs between machines and between boots
  std::int64_t space = 0;    ///< PID namespace
  std::int64_t number = 0;   ///< process id
  static RankProcess of_this_one();
};

/// Protocol that records the cause when a rank is lost. Only rank 0 writes the records. A launcher
/// that has lost a rank ends the other ranks by SIGTERM, and a user who cancels the job does the
/// same. The protocol lets the records name the cause in both cases:
///
/// 1. Each rank knows the processes of all ranks. A rank can see whether a process on its own node
///    has ended. A rank cannot see processes on other nodes.
/// 2. A rank that fails reports its run_stop in rank_stop.jsonl of the launch before it ends the
///    job. The first report is the cause. A rank that lost its connection to another rank waits for
///    the report of the other rank first.
/// 3. A rank that receives a signal reports a rank of its node that had ended before. The rank then
///    waits until rank 0 has ended, so that no rank takes this rank for the one that ended first.
/// 4. Rank 0, when it receives a signal, records the rank of its node that had ended, else the
///    report, else the signal. Rank 0 waits for the report if there are ranks on other nodes.
/// 5. If rank 0 itself has ended, the first rank left on its node completes the records.
///
/// A rank waits for at most kPatience. Rank 0 waits for at most half of kPatience.
class RankMonitor {
 public:
  /// Maximum wait of a rank. Open MPI kills a rank one second after the signal.
  static constexpr std::chrono::milliseconds kPatience{800};

  /// Monitors the given processes, one for each rank in order. `rank` is this rank.
  RankMonitor(int rank, std::vector<RankProcess> processes);
  /// **Collective.** Monitors the processes of `ranks`.
  explicit RankMonitor(CollectiveQueue& ranks);

  /// Sets the folder for reports. Without a folder nothing is reported. Any thread may call the
  /// members below at any time. They do not throw.
  void enter(const contract::LaunchDir& launch);

  /// Reports that this rank, which is not rank 0, fails with `stop` (points 2 and 5).
  /// `lost_connection`: the failure of another rank may have caused this failure.
  void report_failure(contract::RunStop stop, bool lost_connection);
  /// Handles a signal to this rank, which is not rank 0 (points 3 and 5).
  void handle_signal(contract::RunStop stop);
  /// Returns the stop that rank 0 records when it receives a signal (point 4).
  contract::RunStop reason_of_signal(contract::RunStop stop);
  /// Returns the first report, or `stop` if there is none. `lost_connection`: waits for a report.
  contract::RunStop first_reported(contract::RunStop stop, bool lost_connection);

  // State of the other ranks, as far as this rank can see it.

  bool sees(int rank) const;
  bool has_gone(int rank) const;
  /// Returns the first other rank that has ended, or nothing if no visible rank has ended.
  std::optional<int> first_gone() const;
  /// Returns true if rank 0 has ended and this rank is the first visible rank left.
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
  std::once_flag completed_;  ///< guard, because two threads may complete the records
};

}  // namespace dlscale::trainer
