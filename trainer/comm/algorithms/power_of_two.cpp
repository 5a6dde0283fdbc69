// SPDX-License-Identifier: Apache-2.0
#include "trainer/comm/algorithms/power_of_two.hpp"

#include <bit>

#include "trainer/comm/fold.hpp"

namespace dlscale::trainer {

void as_power_of_two(Communicator& ranks, const Span& data, const Span& scratch, ReduceOp op,
                     const std::function<void(const Partners&)>& body) {
  const int size = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks.size())));
  const int idle = ranks.size() - size;
  const int rank = ranks.rank();
  const bool paired = rank < 2 * idle;
  if (paired && rank % 2 == 0) {
    ranks.send(data, rank + 1);
    ranks.receive(data, rank + 1);
    return;
  }
  if (paired) {
    ranks.receive(scratch, rank - 1);
    fold(data, scratch, op);
  }
  body({ranks, paired ? rank / 2 : rank - idle, size, idle});
  if (paired) ranks.send(data, rank - 1);
}

}  // namespace dlscale::trainer
