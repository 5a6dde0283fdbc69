// SPDX-License-Identifier: Apache-2.0
// All-reduces that double: recursive doubling, and Rabenseifner's halving and doubling.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

// How algorithms that double want any number of ranks: as a power of two.

/// A rank among those that take part, whose number is a power of two.
struct Partners {
  Communicator& ranks;
  int rank = 0;  ///< among those that take part
  int size = 1;  ///< how many take part
  int idle = 0;  ///< how many do not: ranks 0, 2, ... of the first 2 x idle

  /// The rank of the communicator that is `other` here.
  int rank_of(int other) const { return other < idle ? other * 2 + 1 : other + idle; }
};

/// **Collective.** Where the ranks are no power of two, some first add their data to a neighbour's
/// and get the result from it afterwards: one message of the whole data for each of the two.
/// `body` is run by the others. `scratch` holds as many bytes as `data`.
void as_power_of_two(Communicator& ranks, const Span& data, const Span& scratch, ReduceOp op,
                     const std::function<void(const Partners&)>& body);

}  // namespace dlscale::trainer
