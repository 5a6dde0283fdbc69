// SPDX-License-Identifier: Apache-2.0
// Division of a batch into consecutive parts whose sizes differ by at most one sample.
#pragma once

#include <algorithm>
#include <cstdint>

namespace dlscale::trainer {

/// Consecutive samples of a batch.
struct BatchPart {
  std::int64_t first = 0;  ///< index of the first sample in the batch
  std::int64_t count = 0;
};

/// Returns part number `index` of `parts` parts of a batch. The sizes of the parts differ by at
/// most one sample, and larger parts come first: 128 samples in 3 parts are 43, 43 and 42 samples.
inline BatchPart part_of_batch(std::int64_t samples, std::int64_t index, std::int64_t parts) {
  const std::int64_t least = samples / parts, larger_parts = samples % parts;
  return {index * least + std::min(index, larger_parts), least + (index < larger_parts ? 1 : 0)};
}

}  // namespace dlscale::trainer
