// SPDX-License-Identifier: Apache-2.0
// Recorder of GPU work as CUDA graphs.
#pragma once

#include <memory>

#include "trainer/device/work_graph.hpp"

namespace dlscale::trainer {

/// Creates a recorder for the work that this thread and its autograd engine submit to GPU `gpu`.
std::unique_ptr<WorkRecorder> make_cuda_graph_recorder(int gpu);

}  // namespace dlscale::trainer
