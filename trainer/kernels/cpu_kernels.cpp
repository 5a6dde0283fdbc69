// SPDX-License-Identifier: Apache-2.0
#include "trainer/kernels/cpu_kernels.hpp"

#include <atomic>

namespace dlscale::trainer {
namespace {

std::atomic<bool> is_fast = true;

}  // namespace

void use_fast_cpu_kernels(bool fast) {
  is_fast = fast;
}

bool uses_fast_cpu_kernels() {
  return is_fast;
}

}  // namespace dlscale::trainer
