// SPDX-License-Identifier: Apache-2.0
// Which ranks of this rank's node are still there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trainer/comm/collective_queue.hpp"

namespace dlscale::trainer {

/// Where a rank's process can be found; zeros where that is not known.
struct RankProcess {
  std::int64_t machine = 0;  ///< tells machines apart, each since it was started
  std::int64_t space = 0;    ///< and processes on it that do not see each other
  std::int64_t number = 0;
  static RankProcess of_this_one();
};

/// Launchers end the ranks that are left with the signal by which users end a job: whether a rank
/// had gone before tells the two apart. Any thread may ask.
class NodeRanks {
 public:
  /// `processes`: of each rank, in order.
  NodeRanks(int rank, std::vector<RankProcess> processes);
  /// **Collective.**
  explicit NodeRanks(CollectiveQueue& ranks);

  /// Whether this rank could tell that `rank` has gone.
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

  int rank_;
  std::vector<RankProcess> processes_;
};

}  // namespace dlscale::trainer
