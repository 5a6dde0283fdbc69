// SPDX-License-Identifier: Apache-2.0
#include "contract/run_spec/process_count.hpp"

#include "contract/run_spec/framework_styles.hpp"

namespace dlscale::contract {

int process_count(const RunSpec& spec) {
  return framework_style(spec.framework).processes == Processes::one ? 1 : spec.gpus;
}

}  // namespace dlscale::contract
