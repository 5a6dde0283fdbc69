// SPDX-License-Identifier: Apache-2.0
// NCCL communicator with its stream. Each asynchronous NCCL call is awaited with a time limit.
#pragma once

#include <nccl.h>

#include <chrono>
#include <functional>
#include <memory>

#include "trainer/comm/cuda_stream.hpp"

namespace dlscale::trainer {

/// NCCL connection between ranks. An error aborts the connection, and all later calls throw.
class NcclConnection {
 public:
  using RetryPolicy = std::chrono::duration<double>;
  using Call = std::function<ncclResult_t(ncclComm_t, cudaStream_t)>;

  /// **Collective.** Connects the ranks. `id` must be the same on all ranks. The connection uses
  /// the current GPU of the calling thread.
  NcclConnection(int rank, int size, const ncclUniqueId& id, RetryPolicy patience);
  /// **Collective.** Connects the ranks that pass the same `color`, in the order of `rank`.
  static std::unique_ptr<NcclConnection> split(NcclConnection& whole, int color, int rank);
  ~NcclConnection();
  NcclConnection(const NcclConnection&) = delete;
  NcclConnection& operator=(const NcclConnection&) = delete;

  /// Runs `call` and returns when the GPU has done the work that `call` gave to the stream. Throws
  /// base::RunError (kExitCommunication) with the name of the call when NCCL fails or the time
  /// limit passes.
  void run(const char* name, const Call& call);

 private:
  explicit NcclConnection(RetryPolicy patience) : patience_(patience) {}
  ncclResult_t state() const;
  void settle(ncclResult_t result, const char* name);
  void require_success(ncclResult_t result, const char* name);
  void abort();
  [[noreturn]] void fail(const char* name, const std::string& why);
  [[noreturn]] void fail_late(const char* name);

  RetryPolicy patience_;
  CudaStream stream_;
  ncclComm_t comm_ = nullptr;  ///< null after an abort
};

}  // namespace dlscale::trainer
