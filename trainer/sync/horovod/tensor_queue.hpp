// SPDX-License-Identifier: Apache-2.0
// The tensors of this rank that were submitted and are not reduced yet.
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
  std::string name;  ///< the same on all ranks
  Span data;         ///< becomes the mean over the ranks; valid until then
  std::vector<std::int64_t> shape;
  std::shared_ptr<const Fence> fence = nullptr;  ///< behind which `data` is there; null: it is
};

/// For use by several threads.
class TensorQueue {
 public:
  struct Entry {
    Span data;
    std::promise<void> done;
    std::shared_ptr<const Fence> fence;
  };

  /// The future throws RunError (kExitCommunication) when the tensor cannot be reduced: for example
  /// at once, when one of its name is still in the queue.
  std::future<void> add(const Tensor& tensor);
  /// What was added since the last call, in that order.
  std::vector<Request> take_arrived();
  /// A tensor that is there; it leaves the queue.
  Entry take(const std::string& name);
  /// The same error for all that are there and all that will be added.
  void close(const std::exception_ptr& error);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, Entry> entries_;
  std::vector<Request> arrived_;
  std::exception_ptr closed_;
};

}  // namespace dlscale::trainer::horovod
