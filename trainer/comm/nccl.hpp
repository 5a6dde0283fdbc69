// SPDX-License-Identifier: Apache-2.0
// Ranks that compute on GPUs: their tensors travel through NVIDIA's NCCL.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

struct NcclSettings {
  int local_rank = 0;  ///< decides which GPU of the node is this rank's
  /// NCCL wants a GPU for each rank. Several may share one to test what needs several ranks; they
  /// then take turns on it and talk through sockets.
  bool share_gpus = false;
  /// A call whose ranks are all there and that takes longer has failed.
  std::chrono::duration<double> patience = std::chrono::minutes(10);
};

/// Of the library that is loaded, "2.28.3"; "no" where this build has none.
std::string nccl_version();

/// Throws RunError (kExitBadRunDescription) when this build has no NCCL or this rank no GPU.
void require_gpu(int local_rank);

/// **Collective.** The ranks of `host`, which carries what lies in the host's memory, finds out
/// when all ranks are there and whether they call the same. NCCL carries what lies on GPUs, on a
/// stream of its own; it adds 16-bit floats in 16 bits, and knows no bit_and. All computation is
/// taken to go through CUDA's default stream. Throws RunError when a rank has no GPU or two share
/// one unasked (kExitBadRunDescription), or they cannot connect.
std::unique_ptr<Communicator> make_nccl(std::unique_ptr<Communicator> host,
                                        const NcclSettings& settings);

}  // namespace dlscale::trainer
