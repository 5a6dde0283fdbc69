// SPDX-License-Identifier: Apache-2.0
// What the background thread has done so far, in numbers.
#pragma once

#include <cstdint>

namespace dlscale::trainer::horovod {

struct Counters {
  std::int64_t cycles = 0;
  std::int64_t slow_cycles = 0;    ///< in which requests went through the coordinator
  std::int64_t cache_hits = 0;     ///< tensors agreed on by a bit, without the coordinator
  std::int64_t invalidations = 0;  ///< tensors that lost their place in the response cache
  std::int64_t control_bytes = 0;  ///< this rank's part in the negotiation
  std::int64_t reductions = 0;     ///< of one tensor or of several as one
  std::int64_t fused_tensors = 0;  ///< reduced with others, so copied into a buffer and back
  std::int64_t tensors = 0;
  std::int64_t bytes = 0;  ///< of tensors
};

}  // namespace dlscale::trainer::horovod
