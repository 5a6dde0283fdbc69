// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trainer/device/side_stream.hpp"

namespace dlscale::trainer {

/// A stream of GPU number `gpu` beside the current one.
std::unique_ptr<SideStream> make_cuda_side_stream(int gpu);

}  // namespace dlscale::trainer
