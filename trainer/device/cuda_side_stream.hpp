// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trainer/device/side_stream.hpp"

namespace dlscale::trainer {

/// Creates a side stream on GPU `gpu`. The work of the side stream runs in parallel with the work
/// of the current stream.
std::unique_ptr<SideStream> make_cuda_side_stream(int gpu);

}  // namespace dlscale::trainer
