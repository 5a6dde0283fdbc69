// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/tensor_link.hpp"

#include <torch/types.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::trainer {

TensorLink::~TensorLink() {
  for (const Sent& sent : sent_) {
    try {
      sent.work->wait();
    } catch (const std::exception&) {
      // Whoever waits for a tensor of this link has been told.
    }
  }
}

void TensorLink::send(const at::Tensor& tensor, int to) {
  while (!sent_.empty() && sent_.front().work->done()) {
    sent_.front().work->wait();
    sent_.pop_front();
  }
  const at::Tensor dense = tensor.contiguous();
  // Not before a device has made the tensor, as if it carried it.
  queue_.run([to](Communicator& ranks) { ranks.exchange({}, to, {}, kNobody); });
  sent_.push_back({queue_.exchange(span_of(dense), to, {}, kNobody), dense});
}

void TensorLink::receive(const at::Tensor& into, int from) {
  const auto ready = queue_.exchange({}, kNobody, {}, from);
  const auto arrived = queue_.exchange({}, kNobody, span_of(into), from);
  wait_for(*ready, *arrived);
}

void TensorLink::flush(std::size_t most) {
  for (; sent_.size() > most; sent_.pop_front()) sent_.front().work->wait();
}

LinkTimes TensorLink::take_times() {
  return std::exchange(times_, {});
}

/// What was submitted before may still be under way: that is a transfer as well.
void TensorLink::wait_for(Work& ready, Work& transfer) {
  const double begin_s = clock_.steady_s();
  ready.wait();
  transfer.wait();
  const double waited_s = clock_.steady_s() - begin_s;
  const double bubble_s = ready.finished_s() - std::max(begin_s, ready.started_s());
  times_.bubble_s += std::clamp(bubble_s, 0.0, waited_s);
  times_.exposed_s += waited_s - std::clamp(bubble_s, 0.0, waited_s);
}

}  // namespace dlscale::trainer
