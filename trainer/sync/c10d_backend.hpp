// SPDX-License-Identifier: Apache-2.0
// A CollectiveQueue seen as a backend of PyTorch's distributed package.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <vector>

#include "trainer/comm/collective_queue.hpp"

namespace dlscale::trainer {

/// Offers what c10d::Reducer calls, one tensor a call. Futures are completed on the queue's thread,
/// when a device has done its part as well. The queue must outlive it.
class QueueBackend : public c10d::Backend {
 public:
  explicit QueueBackend(CollectiveQueue& queue);
  const std::string getBackendName() const override { return "dlscale"; }

  /// SUM, AVG (floating types), MIN and MAX.
  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors,
                                           const c10d::AllreduceOptions& options) override;
  c10::intrusive_ptr<c10d::Work> broadcast(std::vector<at::Tensor>& tensors,
                                           const c10d::BroadcastOptions& options) override;
  c10::intrusive_ptr<c10d::Work> allgather(std::vector<std::vector<at::Tensor>>& outputs,
                                           std::vector<at::Tensor>& inputs,
                                           const c10d::AllgatherOptions& options) override;
  c10::intrusive_ptr<c10d::Work> barrier(const c10d::BarrierOptions& options) override;

  /// Calls that no other submission comes between; they leave `result`, which the future has.
  c10::intrusive_ptr<c10::ivalue::Future> run(std::function<void(Communicator&)> calls,
                                              const at::Tensor& result);

  /// The all-reduce, or run(), submitted last; null before the first.
  const std::shared_ptr<trainer::Work>& last_all_reduce() const { return last_all_reduce_; }

 private:
  CollectiveQueue& queue_;
  std::shared_ptr<trainer::Work> last_all_reduce_;
};

/// A process group whose collectives are `backend`'s.
c10::intrusive_ptr<c10d::ProcessGroup> make_process_group(
    const c10::intrusive_ptr<QueueBackend>& backend);

}  // namespace dlscale::trainer
