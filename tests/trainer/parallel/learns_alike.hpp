// SPDX-License-Identifier: Apache-2.0
// Checks that a run of several ranks learns the same as one rank with the whole batch.
#pragma once

#include "tests/trainer/thread_launch.hpp"

namespace dlscale::test {

/// Checks that the run `found` of one epoch has the same losses and evaluation results as `alone`,
/// and that the parameters differ by less than 1e-10. Also checks that the recorded times of the
/// parts of a step add up to at most the wall time.
void check_alike(const contract::RunSpec& spec, const ThreadLaunch& found,
                 const ThreadLaunch& alone);

/// Runs `spec` and checks the result with check_alike().
void check_learns_alike(const contract::RunSpec& spec, const ThreadLaunch& alone);

}  // namespace dlscale::test
