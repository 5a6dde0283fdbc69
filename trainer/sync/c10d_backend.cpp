// SPDX-License-Identifier: Apache-2.0
// Conversion of c10d calls to entries of a CollectiveQueue. A future is completed when its entry
// has run.
#include "trainer/sync/c10d_backend.hpp"

#include <torch/types.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::trainer {
namespace {

class QueueWork : public c10d::Work {
 public:
  QueueWork(int rank, c10d::OpType type, std::vector<at::Tensor> results)
      : c10d::Work(rank, type),
        results_(std::move(results)),
        future_(c10::make_intrusive<c10::ivalue::Future>(
            c10::ListType::create(c10::TensorType::get()))) {}

  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override { return future_; }
  std::vector<at::Tensor> result() override { return results_; }

  void complete(const std::exception_ptr& error) {
    if (error) {
      future_->setError(error);
    } else {
      future_->markCompleted(results_);
    }
    finish(error);
  }

 private:
  std::vector<at::Tensor> results_;
  c10::intrusive_ptr<c10::ivalue::Future> future_;
};

const at::Tensor& only(const std::vector<at::Tensor>& tensors) {
  TORCH_CHECK(tensors.size() == 1, "a collective call takes exactly one tensor, not ",
              tensors.size());
  return tensors.front();
}

ReduceOp op_of(c10d::ReduceOp op) {
  switch (op) {
    case c10d::ReduceOp::SUM:
    case c10d::ReduceOp::AVG:
      return ReduceOp::sum;
    case c10d::ReduceOp::MIN:
      return ReduceOp::min;
    case c10d::ReduceOp::MAX:
      return ReduceOp::max;
    default:
      throw base::RunError("all-reduce supports only SUM, AVG, MIN and MAX",
                           contract::kExitCommunication);
  }
}

}  // namespace

QueueBackend::QueueBackend(CollectiveQueue& queue)
    : c10d::Backend(queue.rank(), queue.size()), queue_(queue) {}

c10::intrusive_ptr<c10d::Work> QueueBackend::allreduce(std::vector<at::Tensor>& tensors,
                                                       const c10d::AllreduceOptions& options) {
  const at::Tensor tensor = only(tensors);
  const bool average = options.reduceOp == c10d::ReduceOp::AVG;
  TORCH_CHECK(!average || tensor.is_floating_point(),
              "the all-reduce operation AVG supports only floating-point types");
  auto work = c10::make_intrusive<QueueWork>(getRank(), c10d::OpType::ALLREDUCE, tensors);
  last_all_reduce_ =
      queue_.all_reduce(span_of(tensor), op_of(options.reduceOp),
                        [work, tensor, average, size = getSize()](const std::exception_ptr& error) {
                          if (average && !error) tensor.div_(size);
                          work->complete(error);
                        });
  return work;
}

c10::intrusive_ptr<c10d::Work> QueueBackend::broadcast(std::vector<at::Tensor>& tensors,
                                                       const c10d::BroadcastOptions& options) {
  auto work = c10::make_intrusive<QueueWork>(getRank(), c10d::OpType::BROADCAST, tensors);
  queue_.broadcast(span_of(only(tensors)), static_cast<int>(options.rootRank),
                   [work](const std::exception_ptr& error) { work->complete(error); });
  return work;
}

c10::intrusive_ptr<c10d::Work> QueueBackend::allgather(
    std::vector<std::vector<at::Tensor>>& outputs, std::vector<at::Tensor>& inputs,
    const c10d::AllgatherOptions&) {
  const at::Tensor input = only(inputs);
  TORCH_CHECK(outputs.size() == 1, "allgather takes exactly one list of outputs");
  const at::Tensor rows = at::empty({getSize(), input.numel()}, input.options());
  auto work = c10::make_intrusive<QueueWork>(getRank(), c10d::OpType::ALLGATHER, outputs.front());
  queue_.all_gather(span_of(input), span_of(rows),
                    [work, input, rows](const std::exception_ptr& error) {
                      const auto targets = work->result();
                      for (std::size_t rank = 0; !error && rank < targets.size(); ++rank) {
                        targets[rank].view(-1).copy_(rows[static_cast<std::int64_t>(rank)]);
                      }
                      work->complete(error);
                    });
  return work;
}

c10::intrusive_ptr<c10d::Work> QueueBackend::barrier(const c10d::BarrierOptions&) {
  auto work =
      c10::make_intrusive<QueueWork>(getRank(), c10d::OpType::BARRIER, std::vector<at::Tensor>{});
  queue_.barrier([work](const std::exception_ptr& error) { work->complete(error); });
  return work;
}

c10::intrusive_ptr<c10::ivalue::Future> QueueBackend::run(std::function<void(Communicator&)> calls,
                                                          const at::Tensor& result) {
  auto work = c10::make_intrusive<QueueWork>(getRank(), c10d::OpType::ALLREDUCE,
                                             std::vector<at::Tensor>{result});
  last_all_reduce_ = queue_.run(
      std::move(calls), [work, result](const std::exception_ptr& error) { work->complete(error); });
  return work->getFuture();
}

c10::intrusive_ptr<c10d::ProcessGroup> make_process_group(
    const c10::intrusive_ptr<QueueBackend>& backend) {
  // A process group needs a store, which ranks normally use to find each other. Here the queue
  // already connects the ranks, so the store stays empty.
  auto group = c10::make_intrusive<c10d::ProcessGroup>(c10::make_intrusive<c10d::HashStore>(),
                                                       backend->getRank(), backend->getSize());
  for (const auto device : {c10::DeviceType::CPU, c10::DeviceType::CUDA}) {
    group->setBackend(device, c10d::ProcessGroup::BackendType::CUSTOM, backend);
  }
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::CUSTOM);
  group->setGroupName("dlscale");
  return group;
}

}  // namespace dlscale::trainer
