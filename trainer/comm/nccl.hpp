// SPDX-License-Identifier: Apache-2.0
// Communicator for ranks that compute on GPUs and exchange tensors through NVIDIA's NCCL.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

struct NcclSettings {
  int local_rank = 0;  ///< index of this rank on its node; selects the GPU
  /// Permission for several ranks to share a GPU, so that tests with several ranks can run on one
  /// GPU. NCCL normally requires a separate GPU for each rank. Ranks that share a GPU take turns on
  /// it and communicate through sockets.
  bool share_gpus = false;
  /// Time limit of a call after all ranks have arrived. A call that takes longer than the limit
  /// counts as failed.
  std::chrono::duration<double> patience = std::chrono::minutes(10);
};

/// Returns the version of the loaded NCCL library, for example "2.28.3", or "no" if this build
/// lacks NCCL.
std::string nccl_version();

/// Throws RunError (kExitBadRunDescription) when this build lacks NCCL or this rank lacks a GPU.
void require_gpu(int local_rank);

/// **Collective.** Makes a communicator that connects the same ranks as `host`.
///
/// - The communicator `host` transfers data in host memory. It also synchronises the ranks before
///   each NCCL call and checks that all ranks make the same call.
/// - NCCL transfers data on GPUs, on a separate stream. NCCL adds 16-bit floats in 16 bits and does
///   not support bit_and.
/// - All computation must go through the default stream of CUDA.
/// - Throws RunError when a rank lacks a GPU or two ranks share a GPU without share_gpus
///   (kExitBadRunDescription), or when the ranks cannot connect.
std::unique_ptr<Communicator> make_nccl(std::unique_ptr<Communicator> host,
                                        const NcclSettings& settings);

}  // namespace dlscale::trainer
