// SPDX-License-Identifier: Apache-2.0
// Default implementation of GradientSync for styles without state.
#include "trainer/sync/gradient_sync.hpp"

#include "trainer/checkpoint/tensor_archive.hpp"

namespace dlscale::trainer {

std::vector<NamedTensor> GradientSync::state() {
  return {};
}

}  // namespace dlscale::trainer
