// SPDX-License-Identifier: Apache-2.0
// Scheduling of threads that mostly wait and need a core quickly when they wake up.
#pragma once

namespace dlscale::trainer {

/// Requests short time slices and exact timers for the calling thread. When a thread with short
/// slices wakes up on a core where other threads compute, the kernel runs the thread sooner than a
/// thread with the usual slices. Without this request, a collective can stall for up to one
/// scheduler tick (4 ms at 250 Hz) whenever its thread wakes up on a core that runs a training
/// thread. Linux 6.12 and later use the requested slice. Older kernels ignore the request.
void request_realtime_priority();

}  // namespace dlscale::trainer
