// SPDX-License-Identifier: Apache-2.0
#include "trainer/device/threads.hpp"

#include <ATen/Parallel.h>

#include <mutex>

namespace dlscale::trainer {

void use_threads(int cores) {
  at::set_num_threads(cores);
  // LibTorch refuses to change this once set; other devices of the process (in tests: of ranks that
  // are threads and come at the same time) want no more.
  static std::once_flag is_set;
  std::call_once(is_set, [] {
    if (at::get_num_interop_threads() != 1) at::set_num_interop_threads(1);
  });
}

}  // namespace dlscale::trainer
