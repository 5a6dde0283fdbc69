// SPDX-License-Identifier: Apache-2.0
// How much DALI's own threads have worked: it does not say so itself.
#pragma once

namespace dlscale::trainer::dali {

/// CPU time so far of all threads of this process that DALI has started and that still live, by
/// the names that it gives them (Linux's /proc/self/task).
double threads_busy_s();

}  // namespace dlscale::trainer::dali
