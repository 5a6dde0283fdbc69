// SPDX-License-Identifier: Apache-2.0
// CHECKs that a run of several ranks has learnt what one rank with the whole batch learns.
#pragma once

#include "tests/trainer/thread_launch.hpp"

namespace dlscale::test {

/// Of a run whose only epoch `found` saw: parameters to 1e-10, losses, what was evaluated, and
/// records whose parts fit their whole.
void check_alike(const contract::RunSpec& spec, const ThreadLaunch& found,
                 const ThreadLaunch& alone);

/// check_alike() of run(spec).
void check_learns_alike(const contract::RunSpec& spec, const ThreadLaunch& alone);

}  // namespace dlscale::test
