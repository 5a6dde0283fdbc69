// SPDX-License-Identifier: Apache-2.0
// Pipeline stage of one rank, and the links that transfer tensors between neighbouring stages.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "base/clock.hpp"
#include "trainer/comm/collective_queue.hpp"
#include "trainer/models/model.hpp"
#include "trainer/parallel/rank_group.hpp"

namespace dlscale::trainer {

// Transfer of tensors between stages.

/// Link that transfers tensors in one direction between neighbouring stages. Each send() on one
/// rank needs a receive() on the neighbouring rank, in the same order. Sends and receives use
/// separate communicators, and the opposite direction uses another TensorLink. A stage that waits
/// to send therefore never blocks a neighbour that waits to receive. An empty message precedes each
/// tensor. The arrival of the empty message shows that the neighbour is ready, so the link can
/// measure separately the wait for the neighbour and the wait for the transfer.
class TensorLink {
 public:
  /// **Collective** over `all`. Creates the link between all ranks that pass the same `color`.
  /// `stage` is the stage number of this rank.
  TensorLink(CollectiveQueue& all, int color, int stage, const base::Clock& clock);
  /// Waits until all sent tensors have been transferred.
  ~TensorLink();
  TensorLink(const TensorLink&) = delete;
  TensorLink& operator=(const TensorLink&) = delete;

  /// Starts to send `tensor` to rank `to` and returns immediately. The transfer runs in parallel
  /// with the computation of the rank.
  void send(const at::Tensor& tensor, int to);
  void receive(const at::Tensor& into, int from);
  /// Waits until at most `most` of the sent tensors are still in transfer.
  void flush(std::size_t most = 0);
  /// Returns the seconds that this link has waited for transfers since the previous call. The
  /// result excludes the time in which the neighbour was not ready to send or receive.
  double take_exposed_s() { return std::exchange(exposed_s_, 0); }
  /// Returns a queue for collectives of the linked ranks. The caller may use the queue only while
  /// no tensor is in transfer.
  CollectiveQueue& queue() { return *groups_.front().queue; }

 private:
  struct Sent {
    std::shared_ptr<Work> ready, transfer;
    at::Tensor tensor;  ///< kept alive until the transfer ends
  };
  void wait_for(Work& ready, Work& transfer);

  const base::Clock& clock_;
  std::array<RankGroup, 2> groups_;  ///< groups for sends of even stages and of odd stages
  CollectiveQueue &sends_, &receives_;
  std::deque<Sent> sent_;
  double exposed_s_ = 0;
};

// Stage of a model on one rank, including the activations that are stored from the forward pass to
// the backward pass.

class Stage {
 public:
  /// Creates the stage that runs the blocks [first, last) of `model`.
  Stage(Model& model, std::size_t first, std::size_t last)
      : model_(model), first_(first), last_(last) {}

  /// Runs the forward pass of a micro-batch. Stores the autograd graph for the backward pass of the
  /// micro-batch. Returns the detached output.
  at::Tensor forward(int micro_batch, const at::Tensor& input);
  /// Runs the forward pass of the last stage and stores the loss, from which backward() starts.
  /// `make_loss` computes the loss from the output, which is part of the autograd graph. Returns
  /// the detached loss.
  template <class MakeLoss>
  at::Tensor forward_to_loss(int micro_batch, const at::Tensor& input, const MakeLoss& make_loss) {
    return stash(micro_batch, input, make_loss(run(input)));
  }
  /// Runs the backward pass of a micro-batch and adds its gradients to the gradients of the
  /// parameters. `output_gradient` is the gradient of the stage's output. On the last stage, whose
  /// result is the loss, an undefined `output_gradient` stands for the gradient 1. Returns the
  /// gradient of the input, which is undefined when the input requires no gradient.
  at::Tensor backward(int micro_batch, const at::Tensor& output_gradient);
  /// Runs the blocks without storing anything for a backward pass.
  at::Tensor predict(const at::Tensor& input) { return run(input); }

 private:
  struct Passed {
    at::Tensor input, result;
  };
  at::Tensor run(const at::Tensor& input);
  at::Tensor stash(int micro_batch, const at::Tensor& input, const at::Tensor& result);

  Model& model_;
  std::size_t first_, last_;
  std::map<int, Passed> stash_;
};

}  // namespace dlscale::trainer
