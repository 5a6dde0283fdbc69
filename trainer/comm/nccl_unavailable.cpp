// SPDX-License-Identifier: Apache-2.0
// Stands in the communicator table for NCCL in builds without it.
#include "trainer/comm/communicator_table.hpp"

namespace dlscale::trainer {

extern const CommunicatorEntry nccl_unavailable_entry;
const CommunicatorEntry nccl_unavailable_entry{
    .name = "nccl",
    .summary = "GPUs of one or many nodes through NVIDIA's NCCL",
    .unavailable = "this build has no NCCL; use communicator \"mpi\""};

}  // namespace dlscale::trainer
