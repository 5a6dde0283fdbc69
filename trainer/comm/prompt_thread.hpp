// SPDX-License-Identifier: Apache-2.0
// Threads that mostly wait and should get a core soon when they need one.
#pragma once

namespace dlscale::trainer {

/// For the calling thread: short turns, which the kernel gives sooner to a thread that wakes up
/// beside others that compute, and timers that end when they should. Without it a collective stands
/// still for up to a tick (4 ms at 250 Hz) whenever its thread wakes on a core where training
/// computes. Linux from 6.12 on takes turns into account; others leave things as they are.
void ask_for_prompt_turns();

}  // namespace dlscale::trainer
