// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads of one process, for tests of what needs several ranks.
#pragma once

#include <functional>
#include <memory>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

class ThreadMeeting;

/// The shared side of `size` ranks. Reductions go over the ranks in rising order, so results are
/// the same bits in every run.
class ThreadGroup {
 public:
  explicit ThreadGroup(int size);
  ~ThreadGroup();
  /// The communicator of `rank`; each rank joins once, and the group may go before it. Its
  /// destruction means that the rank has left: whoever then waits for it gets an error, not a
  /// hang. So do all ranks when they disagree on which collective is called, or wait for each
  /// other.
  std::unique_ptr<Communicator> join(int rank);

 private:
  std::shared_ptr<ThreadMeeting> meeting_;
};

/// Runs `body` as each of `size` ranks, each in a thread of its own, and waits for all. Rethrows
/// what the first rank to fail threw.
void run_as_threads(int size, const std::function<void(Communicator&)>& body);

}  // namespace dlscale::trainer
