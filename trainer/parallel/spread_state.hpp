// SPDX-License-Identifier: Apache-2.0
// Functions for a training state that is spread over several ranks. The functions collect the state
// on rank 0, and distribute a state from rank 0 to the ranks.
#pragma once

#include <vector>

#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/comm/collective_queue.hpp"

namespace dlscale::trainer {

/// Part of the training state that lies on one rank.
struct OwnState {
  bool speaks = true;  ///< false when gather_state() gets these tensors from another rank
  std::vector<NamedTensor> tensors;
};

/// **Collective.** Returns on rank 0 the tensors of every rank whose `speaks` is true, in rank
/// order. Returns an empty list on the other ranks.
std::vector<NamedTensor> gather_state(const OwnState& own, CollectiveQueue& queue);

/// **Collective.** Copies values from rank 0 to all ranks. `state` is the list that gather_state()
/// returned, with the values to distribute. Each rank receives the values for the tensors in its
/// argument `own`.
void spread_state(const std::vector<NamedTensor>& state, const OwnState& own,
                  CollectiveQueue& queue);

}  // namespace dlscale::trainer
