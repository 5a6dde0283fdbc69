// SPDX-License-Identifier: Apache-2.0
// Replacement for nccl.cpp in builds without NCCL. Every attempt to use NCCL throws an error.
#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/comm/nccl.hpp"

namespace dlscale::trainer {
namespace {

constexpr const char* kWhy =
    "this build has no NCCL; use communicator \"mpi\", or build with: cmake --preset cuda "
    "(docs/gpu.md)";

}  // namespace

std::string nccl_version() {
  return "no";
}

void require_gpu(int) {
  throw base::RunError(kWhy, contract::kExitBadRunDescription);
}

std::unique_ptr<Communicator> make_nccl(std::unique_ptr<Communicator>, const NcclSettings&) {
  throw base::RunError(kWhy, contract::kExitBadRunDescription);
}

extern const CommunicatorEntry nccl_entry;
const CommunicatorEntry nccl_entry{.name = "nccl",
                                   .summary = "GPUs of one or many nodes through NVIDIA's NCCL",
                                   .unavailable = kWhy};

}  // namespace dlscale::trainer
