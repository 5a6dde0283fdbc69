// SPDX-License-Identifier: Apache-2.0
// Gradients that travel as 16-bit floats.
#pragma once

#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>

namespace dlscale::trainer {

/// As PyTorch's fp16_compress_hook and bf16_compress_hook: a bucket is rounded, divided by the
/// number of ranks, all-reduced, and brought back. `name`: fp16 or bf16.
std::unique_ptr<c10d::CommHookInterface> make_compression_hook(
    const std::string& name, const c10::intrusive_ptr<c10d::ProcessGroup>& group);

}  // namespace dlscale::trainer
