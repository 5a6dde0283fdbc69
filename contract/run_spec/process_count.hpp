// SPDX-License-Identifier: Apache-2.0
// Computes the number of processes of a run of dlscale-train.
#pragma once

#include "contract/run_spec/run_spec.hpp"

namespace dlscale::contract {

/// Returns the number of processes: one for each rank, or 1 for a style whose GPUs are devices of a
/// single process.
int process_count(const RunSpec& spec);

}  // namespace dlscale::contract
