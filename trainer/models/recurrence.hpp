// SPDX-License-Identifier: Apache-2.0
// Recurrent layer, GRU or LSTM, for padded sequences. Only files in models/ use this layer.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string>
#include <vector>

namespace dlscale::trainer {

/// Recurrent layer with PyTorch's parameter names and initial distribution.
class RecurrenceImpl : public torch::nn::Module {
 public:
  struct Sizes {
    std::int64_t input = 0, hidden = 0;
    bool both_directions = false;
  };
  /// Makes a layer with cells of the kind `cell`, which is gru or lstm.
  RecurrenceImpl(const std::string& cell, const Sizes& sizes);

  /// State of a recurrent cell: the hidden state and, for an LSTM, the cell state. Each state is a
  /// tensor of directions x samples x hidden.
  using Memory = std::vector<at::Tensor>;
  struct Run {
    at::Tensor outputs;  ///< samples x length x (directions x hidden)
    Memory memory;       ///< state after the last input
  };
  /// Runs the layer with the initial state `memory`. `input` is samples x length x Sizes::input.
  Run forward(const at::Tensor& input, const Memory& memory);
  /// Runs the layer with an initial state of zeros. For sample i, only the first lengths[i] inputs
  /// are used, and later outputs are 0. Each length must be at least 1.
  Run forward_padded(const at::Tensor& input, const at::Tensor& lengths);
  std::size_t memories() const { return is_lstm_ ? 2 : 1; }

 private:
  std::int64_t directions() const { return sizes_.both_directions ? 2 : 1; }
  at::TensorList weights() const { return weights_; }

  bool is_lstm_;
  Sizes sizes_;
  std::vector<at::Tensor> weights_;
};

TORCH_MODULE(Recurrence);

}  // namespace dlscale::trainer
