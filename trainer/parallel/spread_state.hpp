// SPDX-License-Identifier: Apache-2.0
// Functions that collect on rank 0 a training state that is spread over several ranks, and that
// distribute the state back to the ranks.
#pragma once

#include <vector>

#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/comm/collective_queue.hpp"

namespace dlscale::trainer {

/// Part of the training state that one rank has.
struct OwnState {
  bool speaks = true;  ///< false when another rank contributes the same tensors
  std::vector<NamedTensor> tensors;
};

/// **Collective.** Returns on rank 0 the tensors of every contributing rank, in rank order. Returns
/// an empty list on other ranks.
std::vector<NamedTensor> gather_state(const OwnState& own, CollectiveQueue& queue);

/// **Collective.** Copies the values in `state`, which gather_state() returned, into the own
/// tensors of every rank.
void spread_state(const std::vector<NamedTensor>& state, const OwnState& own,
                  CollectiveQueue& queue);

}  // namespace dlscale::trainer
