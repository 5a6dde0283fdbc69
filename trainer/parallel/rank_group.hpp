// SPDX-License-Identifier: Apache-2.0
// Some of a run's ranks, with collectives of their own.
#pragma once

#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "trainer/comm/collective_queue.hpp"

namespace dlscale::trainer {

struct RankGroup {
  /// **Collective** over `all`: the ranks that give the same color.
  RankGroup(CollectiveQueue& all, int color, const base::Clock& clock) {
    all.run([&](Communicator& ranks) { communicator = ranks.split(color); })->wait();
    queue.emplace(*communicator, clock);
  }
  std::unique_ptr<Communicator> communicator;
  std::optional<CollectiveQueue> queue;
};

}  // namespace dlscale::trainer
