// SPDX-License-Identifier: Apache-2.0
// Adapter that makes a CollectiveQueue a backend of PyTorch's distributed package.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <vector>

#include "trainer/comm/collective_queue.hpp"

namespace dlscale::trainer {

/// c10d backend that runs its collectives on a CollectiveQueue. The backend implements only the
/// calls that c10d::Reducer makes, and each call takes one tensor. The communication thread
/// completes the futures. Futures of tensors on a device are completed after the device has
/// finished its work on the tensors. The queue must outlive the backend.
class QueueBackend : public c10d::Backend {
 public:
  explicit QueueBackend(CollectiveQueue& queue);
  const std::string getBackendName() const override { return "dlscale"; }

  /// Reduces with SUM, AVG (floating types), MIN or MAX.
  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors,
                                           const c10d::AllreduceOptions& options) override;
  c10::intrusive_ptr<c10d::Work> broadcast(std::vector<at::Tensor>& tensors,
                                           const c10d::BroadcastOptions& options) override;
  c10::intrusive_ptr<c10d::Work> allgather(std::vector<std::vector<at::Tensor>>& outputs,
                                           std::vector<at::Tensor>& inputs,
                                           const c10d::AllgatherOptions& options) override;
  c10::intrusive_ptr<c10d::Work> barrier(const c10d::BarrierOptions& options) override;

  /// Runs `calls` as a single entry of the queue, so that no collective of another entry runs
  /// between them. `calls` must write their result to `result`, which becomes the value of the
  /// future.
  c10::intrusive_ptr<c10::ivalue::Future> run(std::function<void(Communicator&)> calls,
                                              const at::Tensor& result);

  /// Returns the Work of the last call of allreduce() or run(), or null before the first call.
  const std::shared_ptr<trainer::Work>& last_all_reduce() const { return last_all_reduce_; }

 private:
  CollectiveQueue& queue_;
  std::shared_ptr<trainer::Work> last_all_reduce_;
};

/// Makes a process group that runs its collectives on `backend`.
c10::intrusive_ptr<c10d::ProcessGroup> make_process_group(
    const c10::intrusive_ptr<QueueBackend>& backend);

}  // namespace dlscale::trainer
