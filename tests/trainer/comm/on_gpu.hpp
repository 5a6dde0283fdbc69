// SPDX-License-Identifier: Apache-2.0
// An adapter that runs the collective suite, whose data is in host memory, on a GPU.
#pragma once

#include <memory>

#include "trainer/comm/communicator.hpp"

namespace dlscale::test {

/// Returns a communicator that copies the data of each call to the GPU of the calling thread, calls
/// `ranks` with the copy, and copies the result back.
std::unique_ptr<trainer::Communicator> on_gpu(std::unique_ptr<trainer::Communicator> ranks);

}  // namespace dlscale::test
