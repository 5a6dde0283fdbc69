// SPDX-License-Identifier: Apache-2.0
// Work of a GPU as CUDA graphs.
#pragma once

#include <memory>

#include "trainer/device/work_graph.hpp"

namespace dlscale::trainer {

/// Of what this thread, which works on that GPU, and the autograd engine for it give the GPU.
std::unique_ptr<WorkRecorder> make_cuda_graph_recorder(int gpu);

}  // namespace dlscale::trainer
