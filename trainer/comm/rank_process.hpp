// SPDX-License-Identifier: Apache-2.0
// State of the process of a rank, as seen by processes on the same machine.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace dlscale::trainer {

/// Returns an identifier of the PID namespace of this process, or 0 if the namespace is unknown.
/// Two process ids are comparable only if both processes are in the same namespace.
std::uint64_t process_space();

/// Returns true if `process` has ended, even if its parent has not waited for it yet. `process`
/// must be in the PID namespace of the caller.
bool has_ended(pid_t process);

}  // namespace dlscale::trainer
