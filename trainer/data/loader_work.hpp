// SPDX-License-Identifier: Apache-2.0
// What loading costs beside the steps.
#pragma once

#include <cstdint>

namespace dlscale::trainer {

/// Of one rank, since it was last asked.
struct LoaderWork {
  double busy_s = 0;                 ///< of threads that prepare batches, their sum
  std::int64_t bytes = 0;            ///< read from files
  std::int64_t skipped_samples = 0;  ///< broken ones that others took the place of
};

}  // namespace dlscale::trainer
