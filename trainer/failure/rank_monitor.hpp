// SPDX-License-Identifier: Apache-2.0
// Why a run stops when one of its ranks is gone, as the records are to say it.
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

/// Where a rank's process can be found; zeros where that is not known.
struct RankProcess {
  std::int64_t machine = 0;  ///< tells machines apart, each since it was started
  std::int64_t space = 0;    ///< and processes on it that do not see each other
  std::int64_t number = 0;
  static RankProcess of_this_one();
};

/// Rank 0 alone keeps records, and a launcher that has lost a rank ends the others by SIGTERM, just
/// as a user does who cancels the job. The protocol by which the records still name the cause:
///
/// 1. Each rank knows the processes of all. Of those on its node it can tell whether they have
///    ended, of others it cannot.
/// 2. A rank that fails leaves word, its run_stop in the launch's rank_stop.jsonl, before it ends
///    the job. The first word is the cause. A rank that only lost its connection to another waits
///    for that one's word first.
/// 3. A rank that is told to end leaves word if a rank of its node had gone before. It then stays
///    until rank 0 has gone, so that no rank takes it for the one that had gone before.
/// 4. Rank 0, told to end, records which rank of its node had gone, else the word, for which it
///    waits where there are ranks on other nodes, else that it was told.
/// 5. Where rank 0 itself has gone, the first rank that is left of its node ends the records.
///
/// No rank waits for longer than kPatience, and rank 0 for half of it.
class RankMonitor {
 public:
  /// Open MPI kills a rank that has not ended a second after it was told to.
  static constexpr std::chrono::milliseconds kPatience{800};

  /// `processes`: of each rank, in order.
  RankMonitor(int rank, std::vector<RankProcess> processes);
  /// **Collective.**
  explicit RankMonitor(CollectiveQueue& ranks);

  /// From now on words are left in that launch's folder; until then there are none. Other members
  /// may be called by any thread at any time, and throw nothing.
  void enter(const contract::LaunchDir& launch);

  /// Of a rank other than 0 that fails with `stop`: point 2, and 5 where rank 0 has gone.
  /// `is_consequence`: it lost its connection to another rank.
  void fail(contract::RunStop stop, bool is_consequence);
  /// Of a rank other than 0 that is told to end with `stop`: points 3 and 5.
  void leave(contract::RunStop stop);
  /// Of rank 0 that is told to end with `stop`: returns what to record by point 4.
  contract::RunStop told(contract::RunStop stop);
  /// Of rank 0 that ends with `stop`: returns another rank's word, else `stop`. `is_consequence`:
  /// waits for that word.
  contract::RunStop cause(contract::RunStop stop, bool is_consequence);

  // What this rank can tell of the others.

  bool sees(int rank) const;
  bool has_gone(int rank) const;
  /// The first of the others that has gone; nothing where all that can be seen are there.
  std::optional<int> first_gone() const;
  /// Whether rank 0 has gone and of those that this rank can see it is the first that is left.
  bool succeeds_root() const;
  /// Those of which this rank cannot tell.
  std::vector<int> unseen() const;
  /// Whether no other rank could tell that `rank` has gone.
  bool is_alone(int rank) const;

 private:
  bool see_each_other(int a, int b) const;
  std::optional<contract::LaunchDir> launch() const;
  std::optional<contract::RunStop> word() const;
  std::optional<contract::RunStop> await_word() const;
  void leave_word(contract::RunStop stop) const;
  void end_for_root(contract::RunStop stop);

  int rank_;
  std::vector<RankProcess> processes_;
  mutable std::mutex mutex_;
  std::optional<contract::LaunchDir> launch_;
  std::once_flag spoken_;  ///< for rank 0; two threads may want to
};

}  // namespace dlscale::trainer
