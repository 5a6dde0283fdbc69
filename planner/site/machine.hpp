// SPDX-License-Identifier: Apache-2.0
// Compares the ranks of local runs with the cores and GPUs of this machine.
#pragma once

#include <string>
#include <vector>

#include "contract/run_spec/run_spec.hpp"
#include "planner/site/resources.hpp"

namespace dlscale::planner {

/// Cores and GPUs of the machine on which the runs of a local site run.
struct Machine {
  int cores = 1, gpus = 0;
};

/// Returns the largest number of ranks with their own cores or GPUs, if each rank has the device
/// and the cores of `request`.
int most_ranks(const Machine& machine, const contract::ResourceRequest& request);

/// Returns a warning if a run has more ranks than the machine has cores or GPUs for them. The
/// warning names the run with the most ranks. Returns an empty text if all runs fit.
std::string crowding_warning(const Machine& machine, const std::vector<Allocation>& allocations);

}  // namespace dlscale::planner
