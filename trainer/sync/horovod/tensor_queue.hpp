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
  Span data;         ///< data, replaced by the mean over the ranks; valid until then
  std::vector<std::int64_t> shape;
  std::shared_ptr<const Fence> fence = nullptr;  ///< fence behind which `data` is ready; null: now
};

/// Queue that several threads may use at the same time.
class TensorQueue {
 public:
  struct Entry {
    Span data;
    std::promise<void> done;
    std::shared_ptr<const Fence> fence;
  };

  /// Adds a tensor. The future throws RunError (kExitCommunication) when the tensor cannot be
  /// reduced. For example, the future throws at once when a tensor with the same name is in the
  /// queue.
  std::future<void> add(const Tensor& tensor);
  /// Returns the tensors added since the last call, in the order of addition.
  std::vector<Request> take_arrived();
  /// Removes and returns a tensor that must be in the queue.
  Entry take_entry(const std::string& name);
  /// Fails all tensors in the queue and all tensors added later with `error`.
  void close(const std::exception_ptr& error);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, Entry> entries_;
  std::vector<Request> arrived_;
  std::exception_ptr closed_;
};

}  // namespace dlscale::trainer::horovod
