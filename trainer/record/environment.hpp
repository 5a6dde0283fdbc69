// SPDX-License-Identifier: Apache-2.0
// The machine a launch ran on, for run_start.
#pragma once

#include <string>

namespace dlscale::trainer {

/// As /proc/cpuinfo names it; "unknown" where it does not.
std::string cpu_model();

/// Tells glibc to keep freed memory for the next step instead of giving it back to the system: a
/// step frees and takes the same activations again, and page faults cost up to a third of it.
/// Returns what was set, in words. To be called before the first large allocation.
std::string keep_freed_memory();

}  // namespace dlscale::trainer
