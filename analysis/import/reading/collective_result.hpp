// SPDX-License-Identifier: Apache-2.0
// What a benchmark of collectives measured of one message size, in the words of nccl-tests.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

namespace dlscale::analysis {

struct CollectiveResult {
  int line = 0;
  std::string collective;  ///< all_reduce, all_gather, …; empty: the log does not say
  bool in_place = false;   ///< send and receive buffers are the same
  std::int64_t size_bytes = 0;
  std::int64_t count = 0;  ///< elements
  std::string type;        ///< float, half, …
  std::string redop;       ///< sum, …; none
  int root = -1;           ///< -1: of no rank, or of all in turn
  double time_s = 0;       ///< mean over the iterations; nccl-tests' warm-up is not in it
  double algbw_gb_per_s = std::nan("");  ///< size / time, 10^9 bytes/s as printed
  double busbw_gb_per_s = std::nan("");  ///< algbw by the collective's factor, likewise
  double wrong = std::nan("");           ///< elements that were wrong; NaN: not checked
};

}  // namespace dlscale::analysis
