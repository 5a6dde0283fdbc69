// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/stage.hpp"

#include <torch/types.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::trainer {

TensorLink::TensorLink(CollectiveQueue& all, int color, int stage, const base::Clock& clock)
    : clock_(clock),
      groups_{RankGroup(all, color, clock), RankGroup(all, color, clock)},
      sends_(*groups_[static_cast<std::size_t>(stage % 2)].queue),
      receives_(*groups_[static_cast<std::size_t>((stage + 1) % 2)].queue) {}

TensorLink::~TensorLink() {
  for (const Sent& sent : sent_) {
    try {
      sent.transfer->wait();
    } catch (const std::exception&) {
      // The error is ignored, because the thread that waits for a tensor of this link receives the
      // same error.
    }
  }
}

void TensorLink::send(const at::Tensor& tensor, int to) {
  while (!sent_.empty() && sent_.front().transfer->done()) {
    sent_.front().transfer->wait();
    sent_.pop_front();
  }
  const at::Tensor dense = tensor.contiguous();
  // The empty message is submitted in the same way as the tensor itself, after the device work that
  // computes the tensor. The arrival of the message therefore shows that the tensor is ready.
  auto ready = sends_.run([to](Communicator& ranks) { ranks.exchange({}, to, {}, kNobody); });
  sent_.push_back({std::move(ready), sends_.exchange(span_of(dense), to, {}, kNobody), dense});
}

void TensorLink::receive(const at::Tensor& into, int from) {
  const auto ready = receives_.exchange({}, kNobody, {}, from);
  const auto arrived = receives_.exchange({}, kNobody, span_of(into), from);
  wait_for(*ready, *arrived);
}

void TensorLink::flush(std::size_t most) {
  for (; sent_.size() > most; sent_.pop_front()) {
    wait_for(*sent_.front().ready, *sent_.front().transfer);
  }
}

void TensorLink::wait_for(Work& ready, Work& transfer) {
  const double begin_s = clock_.steady_s();
  ready.wait();
  transfer.wait();
  const double on_its_way_s =
      transfer.finished_s() - std::max({begin_s, ready.finished_s(), transfer.started_s()});
  exposed_s_ += std::max(0.0, on_its_way_s);
}

at::Tensor Stage::run(const at::Tensor& input) {
  at::Tensor value = input;
  for (std::size_t i = first_; i < last_; ++i) value = model_.forward_block(i, value);
  return value;
}

at::Tensor Stage::stash(int micro_batch, const at::Tensor& input, const at::Tensor& result) {
  stash_[micro_batch] = {input, result};
  return result.detach();
}

at::Tensor Stage::forward(int micro_batch, const at::Tensor& input) {
  return stash(micro_batch, input, run(input));
}

at::Tensor Stage::backward(int micro_batch, const at::Tensor& output_gradient) {
  const Passed passed = std::move(stash_.extract(micro_batch).mapped());
  passed.result.backward(output_gradient);
  return passed.input.grad();
}

}  // namespace dlscale::trainer
