// SPDX-License-Identifier: Apache-2.0
// Helpers for all-reduces by doubling: recursive doubling, and Rabenseifner's halving and doubling.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

// Algorithms by doubling need a number of ranks that is a power of two.

/// Participants of a doubling algorithm, seen from one rank. The number of participants is a power
/// of two.
struct Partners {
  Communicator& ranks;
  int rank = 0;  ///< index of this rank among the participants
  int size = 1;  ///< number of participants
  int idle = 0;  ///< number of idle ranks, which are the even ranks below 2 x idle

  /// Returns the rank, in the communicator, of participant `other`.
  int rank_of(int other) const { return other < idle ? other * 2 + 1 : other + idle; }
};

/// **Collective.** Runs `body` on a power-of-two number of ranks. The other ranks are idle. Before
/// `body`, each idle rank sends its data to a neighbour, which adds the data to its own. After
/// `body`, the neighbour sends the result back. The two ranks therefore each send one additional
/// message of the whole data. `scratch` must hold as many bytes as `data`.
void as_power_of_two(Communicator& ranks, const Span& data, const Span& scratch, ReduceOp op,
                     const std::function<void(const Partners&)>& body);

}  // namespace dlscale::trainer
