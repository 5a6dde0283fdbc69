// SPDX-License-Identifier: Apache-2.0
// A stretch of a model on one rank, and how tensors go from stage to stage.
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

// Tensors handed from stage to stage.

/// One direction between neighbouring stages: every call needs its counterpart on the other rank,
/// in the same order. What a stage sends and what it receives have a communicator each, and so has
/// the other direction, so that nobody waits to send while others wait for this one to receive.
/// Each tensor follows an empty message, which tells waiting for the neighbour from waiting for the
/// transfer.
class TensorLink {
 public:
  /// **Collective** over `all`. Ranks of the same `color` are linked; `stage` is this one's.
  TensorLink(CollectiveQueue& all, int color, int stage, const base::Clock& clock);
  /// Lets what was sent arrive.
  ~TensorLink();
  TensorLink(const TensorLink&) = delete;
  TensorLink& operator=(const TensorLink&) = delete;

  /// Returns at once; the transfer goes on beside what the rank computes.
  void send(const at::Tensor& tensor, int to);
  void receive(const at::Tensor& into, int from);
  /// Returns when all that was sent has arrived, but for at most `most` tensors.
  void flush(std::size_t most = 0);
  /// Of the waiting since it was last asked, seconds in which a tensor was on its way; in the rest
  /// the neighbour was not there yet.
  double take_exposed_s() { return std::exchange(exposed_s_, 0); }
  /// For collectives of the linked ranks while no tensor is on its way.
  CollectiveQueue& queue() { return *groups_.front().queue; }

 private:
  struct Sent {
    std::shared_ptr<Work> ready, transfer;
    at::Tensor tensor;  ///< kept until it has arrived
  };
  void wait_for(Work& ready, Work& transfer);

  const base::Clock& clock_;
  std::array<RankGroup, 2> groups_;  ///< for what even stages send, and what odd ones do
  CollectiveQueue &sends_, &receives_;
  std::deque<Sent> sent_;
  double exposed_s_ = 0;
};

// A stretch of a model on one rank, and what it stashes between forward and backward.

class Stage {
 public:
  /// The blocks [first, last) of a model.
  Stage(Model& model, std::size_t first, std::size_t last)
      : model_(model), first_(first), last_(last) {}

  /// The output of a micro-batch, detached; what its backward pass needs is stashed.
  at::Tensor forward(int micro_batch, const at::Tensor& input);
  /// What backward() begins with instead of the output, of the last stage: a loss made of it.
  /// `make_loss` gets the output with its graph.
  template <class MakeLoss>
  at::Tensor forward_to_loss(int micro_batch, const at::Tensor& input, const MakeLoss& make_loss) {
    return stash(micro_batch, input, make_loss(run(input)));
  }
  /// Adds to the parameters' gradients; returns the gradient of the input, undefined where the
  /// input asked for none. `output_gradient` is undefined for a loss.
  at::Tensor backward(int micro_batch, const at::Tensor& output_gradient);
  /// Without gradients.
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
