// SPDX-License-Identifier: Apache-2.0
// A CPU device whose operators can be recorded and replayed like those of a GPU.
#pragma once

#include <memory>

#include "trainer/device/device.hpp"

namespace dlscale::test {

/// Creates a CPU device whose graphs imitate CUDA graphs:
/// - Recorded work leaves no trace in memory.
/// - A replay runs the same operators on the same memory with the same numbers, and does not repeat
///   work of the host.
/// - Reading the number of a tensor during a recording is an error.
/// `replays` counts the replays.
std::unique_ptr<trainer::Device> make_recorded_device(int& replays);

}  // namespace dlscale::test
