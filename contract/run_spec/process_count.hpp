// SPDX-License-Identifier: Apache-2.0
// How many processes a run of dlscale-train has.
#pragma once

#include "contract/run_spec/run_spec.hpp"

namespace dlscale::contract {

/// One for each rank; one alone where its GPUs are devices of a single process.
int process_count(const RunSpec& spec);

}  // namespace dlscale::contract
