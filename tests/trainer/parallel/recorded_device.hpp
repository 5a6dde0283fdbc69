// SPDX-License-Identifier: Apache-2.0
// A CPU whose operators can be recorded and replayed as those of a GPU.
#pragma once

#include <memory>

#include "trainer/device/device.hpp"

namespace dlscale::test {

/// What its graphs have in common with CUDA's: recorded work leaves no trace in memory; replayed,
/// the same operators run on the same memory with the same numbers, and nothing of the host's work
/// is done again; reading a tensor's number while recording is an error. `replays` counts.
std::unique_ptr<trainer::Device> make_recorded_device(int& replays);

}  // namespace dlscale::test
