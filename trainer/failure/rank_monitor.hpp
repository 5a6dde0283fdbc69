// SPDX-License-Identifier: Apache-2.0
// Search for the reason why a run stops when one of its ranks has ended unexpectedly. The records
// of the run must contain this reason.
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

/// Process of a rank. A member is 0 if the system does not report its value.
struct RankProcess {
  std::int64_t machine = 0;  ///< number that differs between machines and between boots
  std::int64_t space = 0;    ///< PID namespace
  std::int64_t number = 0;   ///< process id
  static RankProcess of_this_one();
};

/// Protocol that records the cause when a rank is lost. Only rank 0 normally writes the records.
/// When a rank is lost, the MPI launcher ends the other ranks by SIGTERM. When a user cancels the
/// job, the ranks receive SIGTERM as well. The signal alone therefore does not show the cause. The
/// protocol distinguishes the two cases:
///
/// 1. Each rank knows the process ids of all ranks. A rank can detect whether a process on its own
///    node has ended. A rank cannot see processes on other nodes.
/// 2. A rank that fails writes a report before it ends the job: its run_stop record, in the file
///    rank_stop.jsonl of the launch. Only the first report is written and counts as the cause. A
///    rank that fails because it lost its connection to another rank first waits for the report of
///    the other rank.
/// 3. A rank that receives a signal checks whether another rank of its node has already ended. If
///    rank 0 runs on another node, the signalled rank reports the ended rank. The signalled rank
///    then waits until rank 0 has ended. Otherwise other ranks could conclude that the signalled
///    rank ended first.
/// 4. When rank 0 receives a signal, it records the first of these reasons that exists: the report
///    of another rank, the end of a rank on its own node, the signal. If no rank of its node has
///    ended and there are ranks on other nodes, rank 0 waits for their report.
/// 5. If rank 0 itself has ended, the lowest-numbered running rank on its node writes the missing
///    run_stop record.
///
/// A rank other than 0 waits for at most kPatience in total. Rank 0 waits for at most half of
/// kPatience.
class RankMonitor {
 public:
  /// Maximum waiting time of a rank. Open MPI kills a rank one second after SIGTERM, so the rank
  /// must finish earlier.
  static constexpr std::chrono::milliseconds kPatience{800};

  /// Monitors the given processes. `processes` contains one process for each rank, in rank order.
  /// `rank` is the number of this rank.
  RankMonitor(int rank, std::vector<RankProcess> processes);
  /// **Collective.** Monitors the processes of `ranks`.
  explicit RankMonitor(CollectiveQueue& ranks);

  /// Sets the launch folder, in which the reports are written. Before this call, nothing is
  /// reported. Any thread may call enter() and the functions below at any time. None of these
  /// functions throws.
  void enter(const contract::LaunchDir& launch);

  /// Reports that this rank, which is not rank 0, fails with `stop` (points 2 and 5).
  /// `lost_connection` is true when the failure of another rank may have caused this failure.
  void report_failure(contract::RunStop stop, bool lost_connection);
  /// Handles a signal to this rank, which is not rank 0 (points 3 and 5).
  void handle_signal(contract::RunStop stop);
  /// Returns the stop that rank 0 records when it receives a signal (point 4).
  contract::RunStop reason_of_signal(contract::RunStop stop);
  /// Returns the first report of another rank, or `stop` if there is no report. Waits for a report
  /// if `lost_connection` is true.
  contract::RunStop first_reported(contract::RunStop stop, bool lost_connection);

  // State of the other ranks. A rank can see only the processes on its own node.

  bool sees(int rank) const;
  bool has_gone(int rank) const;
  /// Returns the first other rank that has ended, or nothing if no visible rank has ended.
  std::optional<int> first_gone() const;
  /// Returns true if rank 0 has ended and this rank has the lowest number of all running ranks on
  /// the node of rank 0.
  bool succeeds_root() const;
  /// Returns the ranks whose processes this rank cannot see, such as ranks on other nodes.
  std::vector<int> unseen() const;
  /// Returns true if no other rank can see the process of `rank`, because `rank` is alone on its
  /// node.
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
  std::once_flag completed_;  ///< ensures a single run_stop if two threads call complete_records()
};

}  // namespace dlscale::trainer
