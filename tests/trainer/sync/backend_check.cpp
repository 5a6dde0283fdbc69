// SPDX-License-Identifier: Apache-2.0
// Checks of the backend for PyTorch's distributed package, and of tensors that it rejects.
#include "tests/trainer/sync/backend_check.hpp"

#include <torch/types.h>

#include <stdexcept>

#include "base/error.hpp"
#include "trainer/sync/c10d_backend.hpp"
#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::test {
namespace {

using c10d::ReduceOp;

void expect(const at::Tensor& found, std::vector<double> wanted, const char* what) {
  if (!at::equal(found, torch::tensor(wanted, found.options()))) {
    throw std::runtime_error(what);
  }
}

/// Returns a tensor with two elements of value rank + 1.
std::vector<at::Tensor> own(int rank) {
  return {at::full({2}, rank + 1.0, at::kDouble)};
}

std::vector<at::Tensor> reduced(c10d::ProcessGroup& group, ReduceOp::RedOpType op) {
  auto tensors = own(group.getRank());
  c10d::AllreduceOptions options;
  options.reduceOp = op;
  const auto work = group.allreduce(tensors, options);
  work->wait();
  if (!work->isCompleted() || !work->getFuture()->completed()) throw std::runtime_error("future");
  return tensors;
}

}  // namespace

void check_backend(trainer::Communicator& communicator) {
  const base::SystemClock clock;
  trainer::CollectiveQueue queue(communicator, clock);
  const auto group = trainer::make_process_group(c10::make_intrusive<trainer::QueueBackend>(queue));
  const double n = communicator.size();

  expect(reduced(*group, ReduceOp::SUM)[0], {n * (n + 1) / 2, n * (n + 1) / 2}, "SUM");
  expect(reduced(*group, ReduceOp::AVG)[0], {(n + 1) / 2, (n + 1) / 2}, "AVG");
  expect(reduced(*group, ReduceOp::MIN)[0], {1, 1}, "MIN");
  expect(reduced(*group, ReduceOp::MAX)[0], {n, n}, "MAX");

  auto sent = own(communicator.rank());
  c10d::BroadcastOptions from_last;
  from_last.rootRank = communicator.size() - 1;
  group->broadcast(sent, from_last)->wait();
  expect(sent[0], {n, n}, "broadcast");

  auto inputs = own(communicator.rank());
  std::vector<std::vector<at::Tensor>> outputs(1);
  for (int rank = 0; rank < communicator.size(); ++rank) outputs[0].push_back(own(-1)[0]);
  group->allgather(outputs, inputs)->wait();
  for (int rank = 0; rank < communicator.size(); ++rank) {
    expect(outputs[0][static_cast<std::size_t>(rank)], {rank + 1.0, rank + 1.0}, "allgather");
  }
  // The check calls the barrier of the backend instead of the barrier of the group. The barrier of
  // the group uses a static tensor, which all ranks would overwrite at the same time if they are
  // threads.
  group->getDefaultBackend()->barrier({})->wait();
}

std::string refusal(const std::string& kind) {
  at::Tensor tensor = at::zeros({2, 2});
  if (kind == "gaps") tensor = tensor.select(1, 0);
  if (kind == "complex") tensor = tensor.to(at::kComplexFloat);
  if (kind == "meta") tensor = tensor.to(at::kMeta);
  try {
    trainer::span_of(tensor);
  } catch (const base::RunError& error) {
    return error.what();
  }
  return "";
}

}  // namespace dlscale::test
