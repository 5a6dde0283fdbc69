// SPDX-License-Identifier: Apache-2.0
// State of the process of a rank, as seen by processes on the same machine.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace dlscale::trainer {

/// Returns an identifier of the PID namespace of this process, or 0 if it is unknown. Process ids
/// are comparable only within a namespace.
std::uint64_t process_space();

/// Returns true if a process of this namespace has ended, even if its parent has not waited for it
/// yet.
bool has_ended(pid_t process);

}  // namespace dlscale::trainer
