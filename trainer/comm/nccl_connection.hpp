// SPDX-License-Identifier: Apache-2.0
// NCCL itself, as nccl.cpp uses it: calls that go on behind their return, awaited with a deadline.
#pragma once

#include <nccl.h>

#include <chrono>
#include <functional>
#include <memory>

#include "trainer/comm/cuda_stream.hpp"

namespace dlscale::trainer {

/// Ranks that are connected. After an error it is aborted and nothing more can be called.
class NcclConnection {
 public:
  using Patience = std::chrono::duration<double>;
  using Call = std::function<ncclResult_t(ncclComm_t, cudaStream_t)>;

  /// **Collective.** `id` is the same on all ranks. The thread's GPU becomes the connection's.
  NcclConnection(int rank, int size, const ncclUniqueId& id, Patience patience);
  /// **Collective.** The ranks that give the same `color`, in the order of `rank`.
  static std::unique_ptr<NcclConnection> split(NcclConnection& whole, int color, int rank);
  ~NcclConnection();
  NcclConnection(const NcclConnection&) = delete;
  NcclConnection& operator=(const NcclConnection&) = delete;

  /// Returns when the GPU has done what `call` gave to the stream. Throws base::RunError
  /// (kExitCommunication) naming the call when NCCL fails or patience ends.
  void run(const char* name, const Call& call);

 private:
  explicit NcclConnection(Patience patience) : patience_(patience) {}
  ncclResult_t state() const;
  void settle(ncclResult_t result, const char* name);
  void require_success(ncclResult_t result, const char* name);
  void abort();
  [[noreturn]] void fail(const char* name, const std::string& why);
  [[noreturn]] void fail_late(const char* name);

  Patience patience_;
  CudaStream stream_;
  ncclComm_t comm_ = nullptr;  ///< null once aborted
};

}  // namespace dlscale::trainer
