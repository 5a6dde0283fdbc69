// SPDX-License-Identifier: Apache-2.0
// Queue of the tensors that this rank has submitted and that are not reduced yet.
#pragma once

#include <cstdint>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "trainer/comm/communicator.hpp"
#include "trainer/sync/horovod/messages.hpp"

namespace dlscale::trainer::horovod {

struct Tensor {
  std::string name;  ///< tensor name, the same on all ranks
  Span data;         ///< memory that the mean replaces; must stay valid until reduced
  std::vector<std::int64_t> shape;
  std::shared_ptr<const Fence> fence = nullptr;  ///< fence to wait for; null if `data` is ready
};

/// Queue of submitted tensors. Several threads may use the queue at the same time.
class TensorQueue {
 public:
  struct Entry {
    Span data;
    std::promise<void> done;
    std::shared_ptr<const Fence> fence;
  };

  /// Adds a tensor. The returned future becomes ready when the tensor has been reduced. The future
  /// holds a RunError (kExitCommunication) if the tensor cannot be reduced. The future fails at
  /// once if the queue already contains a tensor with the same name.
  std::future<void> add(const Tensor& tensor);
  /// Returns requests for the tensors added since the last call, in the order of addition.
  std::vector<Request> take_arrived();
  /// Removes the tensor `name` from the queue and returns it. The tensor must be in the queue.
  Entry take_entry(const std::string& name);
  /// Closes the queue. The futures of all tensors in the queue, and of all tensors added later,
  /// fail with `error`.
  void close(const std::exception_ptr& error);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, Entry> entries_;
  std::vector<Request> arrived_;
  std::exception_ptr closed_;
};

}  // namespace dlscale::trainer::horovod
