// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/parallel_style.hpp"

#include "trainer/checkpoint/tensor_archive.hpp"

namespace dlscale::trainer {

std::vector<NamedTensor> ParallelStyle::shard() {
  return {};
}

}  // namespace dlscale::trainer
