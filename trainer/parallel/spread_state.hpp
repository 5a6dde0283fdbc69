// SPDX-License-Identifier: Apache-2.0
// A training state whose parts lie on several ranks, brought to rank 0 and back.
#pragma once

#include <vector>

#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/comm/collective_queue.hpp"

namespace dlscale::trainer {

/// What one rank has of the state.
struct OwnState {
  bool speaks = true;  ///< false: another rank has the same and speaks for it
  std::vector<NamedTensor> tensors;
};

/// **Collective.** On rank 0 the tensors of every part, in order of their ranks; on other ranks
/// nothing.
std::vector<NamedTensor> gather_state(const OwnState& own, CollectiveQueue& queue);

/// **Collective.** Fills every rank's own tensors from `state`, which gather_state() returned.
void spread_state(const std::vector<NamedTensor>& state, const OwnState& own,
                  CollectiveQueue& queue);

}  // namespace dlscale::trainer
