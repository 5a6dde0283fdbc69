// SPDX-License-Identifier: Apache-2.0
// What an MPI call's return code means.
#pragma once

namespace dlscale::trainer {

/// Throws RunError (kExitCommunication) naming the call and MPI's reason unless `code` is success.
void check_mpi(int code, const char* call);

}  // namespace dlscale::trainer
