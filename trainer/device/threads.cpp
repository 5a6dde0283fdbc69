// SPDX-License-Identifier: Apache-2.0
#include "trainer/device/threads.hpp"

#include <ATen/Parallel.h>

namespace dlscale::trainer {

void use_threads(int cores) {
  at::set_num_threads(cores);
  // LibTorch refuses to change this once set; a second device in one process (tests) wants no more.
  if (at::get_num_interop_threads() != 1) at::set_num_interop_threads(1);
}

}  // namespace dlscale::trainer
