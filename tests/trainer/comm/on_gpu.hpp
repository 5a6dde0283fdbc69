// SPDX-License-Identifier: Apache-2.0
// Lets the collective suite, whose data lie in the host's memory, judge collectives on a GPU.
#pragma once

#include <memory>

#include "trainer/comm/communicator.hpp"

namespace dlscale::test {

/// Every call copies what it is given to this thread's GPU, calls `ranks` there, and copies back.
std::unique_ptr<trainer::Communicator> on_gpu(std::unique_ptr<trainer::Communicator> ranks);

}  // namespace dlscale::test
