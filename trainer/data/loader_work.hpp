// SPDX-License-Identifier: Apache-2.0
// Cost of loading data in parallel with the training steps.
#pragma once

#include <cstdint>

namespace dlscale::trainer {

/// Loading work of one rank since the previous call of Loader::take_work().
struct LoaderWork {
  double busy_s = 0;                 ///< busy seconds, summed over the threads that prepare batches
  std::int64_t bytes = 0;            ///< number of bytes read from files
  std::int64_t skipped_samples = 0;  ///< number of broken samples that were replaced
};

}  // namespace dlscale::trainer
