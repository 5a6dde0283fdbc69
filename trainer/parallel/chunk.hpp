// SPDX-License-Identifier: Apache-2.0
// How the samples of a batch are cut for several devices.
#pragma once

#include <algorithm>
#include <cstdint>

namespace dlscale::trainer {

struct Chunk {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// The `index`-th of `parts`, as torch.chunk cuts: the last ones may get fewer, or none.
inline Chunk chunk_of(std::int64_t samples, int index, int parts) {
  const std::int64_t most = (samples + parts - 1) / parts;
  const std::int64_t first = std::min(most * index, samples);
  return {first, std::min(most, samples - first)};
}

}  // namespace dlscale::trainer
