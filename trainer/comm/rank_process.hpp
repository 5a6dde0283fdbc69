// SPDX-License-Identifier: Apache-2.0
// The process of a rank, as processes of the same machine see it.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace dlscale::trainer {

/// Tells sets of processes apart that do not see each other's numbers; 0: not known.
std::uint64_t process_space();

/// Whether a process of this space has ended, be it that nobody has taken note of its end yet.
bool has_ended(pid_t process);

}  // namespace dlscale::trainer
