// SPDX-License-Identifier: Apache-2.0
// Storage of submitted tensors by name.
#include "trainer/sync/horovod/tensor_queue.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/sync/horovod/reduction.hpp"

namespace dlscale::trainer::horovod {
namespace {

std::exception_ptr refusal(const std::string& why) {
  return std::make_exception_ptr(base::RunError("horovod: " + why, contract::kExitCommunication));
}

}  // namespace

std::future<void> TensorQueue::add(const Tensor& tensor) {
  Entry entry{tensor.data, {}, tensor.fence};
  std::future<void> future = entry.done.get_future();
  const std::lock_guard lock(mutex_);
  Request request{tensor.name, tensor.data.type, tensor.shape};
  if (closed_) {
    entry.done.set_exception(closed_);
  } else if (request.count() != tensor.data.count) {
    entry.done.set_exception(
        refusal(fmt::format("\"{}\" has {} elements, but its type and shape are {}", tensor.name,
                            tensor.data.count, request.layout())));
  } else if (!is_floating(tensor.data.type)) {
    entry.done.set_exception(refusal(fmt::format(
        "\"{}\" does not have a floating-point type, so it cannot be averaged", tensor.name)));
  } else if (entries_.contains(tensor.name)) {
    entry.done.set_exception(
        refusal(fmt::format("\"{}\" was submitted again before it was reduced", tensor.name)));
  } else {
    arrived_.push_back(std::move(request));
    entries_.emplace(tensor.name, std::move(entry));
  }
  return future;
}

std::vector<Request> TensorQueue::take_arrived() {
  const std::lock_guard lock(mutex_);
  return std::exchange(arrived_, {});
}

TensorQueue::Entry TensorQueue::take_entry(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return std::move(entries_.extract(name).mapped());
}

void TensorQueue::close(const std::exception_ptr& error) {
  const std::lock_guard lock(mutex_);
  closed_ = error;
  for (auto& [name, entry] : entries_) entry.done.set_exception(error);
  entries_.clear();
}

}  // namespace dlscale::trainer::horovod
