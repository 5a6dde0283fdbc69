// SPDX-License-Identifier: Apache-2.0
#include "contract/process_count.hpp"

namespace dlscale::contract {

int process_count(const RunSpec& spec) {
  return spec.framework == "data_parallel" ? 1 : spec.gpus;
}

}  // namespace dlscale::contract
