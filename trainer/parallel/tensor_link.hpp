// SPDX-License-Identifier: Apache-2.0
// Tensors handed from stage to stage.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "base/clock.hpp"
#include "trainer/comm/collective_queue.hpp"

namespace dlscale::trainer {

/// Where a stage's waiting went since it was last asked.
struct LinkTimes {
  double bubble_s = 0;   ///< the neighbour had nothing to hand over yet
  double exposed_s = 0;  ///< a tensor was on its way
};

/// One direction: every call needs its counterpart on the other rank, in the same order, and where
/// tensors go both ways each way has a link, so that nobody waits to send while the other does.
/// Each tensor follows an empty message, which tells waiting for the neighbour from waiting for the
/// transfer.
class TensorLink {
 public:
  TensorLink(CollectiveQueue& queue, const base::Clock& clock) : queue_(queue), clock_(clock) {}
  /// Lets what was sent arrive.
  ~TensorLink();
  TensorLink(const TensorLink&) = delete;
  TensorLink& operator=(const TensorLink&) = delete;

  /// Returns at once; the transfer goes on beside what the rank computes.
  void send(const at::Tensor& tensor, int to);
  void receive(const at::Tensor& into, int from);
  /// Returns when all that was sent has arrived, but for at most `most` tensors.
  void flush(std::size_t most = 0);
  LinkTimes take_times();

 private:
  struct Sent {
    std::shared_ptr<Work> work;
    at::Tensor tensor;  ///< kept until it has arrived
  };
  void wait_for(Work& ready, Work& transfer);

  CollectiveQueue& queue_;
  const base::Clock& clock_;
  std::deque<Sent> sent_;
  LinkTimes times_;
};

}  // namespace dlscale::trainer
