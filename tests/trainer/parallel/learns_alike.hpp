// SPDX-License-Identifier: Apache-2.0
// Checks that a run of several ranks learns the same as one rank with the whole batch.
#pragma once

#include "tests/trainer/thread_launch.hpp"

namespace dlscale::test {

/// Checks the run `found` of one epoch against `alone`: parameters to 1e-10, losses, evaluation
/// results, and records whose parts fit their totals.
void check_alike(const contract::RunSpec& spec, const ThreadLaunch& found,
                 const ThreadLaunch& alone);

/// Runs `spec` and checks the result with check_alike().
void check_learns_alike(const contract::RunSpec& spec, const ThreadLaunch& alone);

}  // namespace dlscale::test
