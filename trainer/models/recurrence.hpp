// SPDX-License-Identifier: Apache-2.0
// Internal to models/*.cpp: a recurrent layer, GRU or LSTM, for padded sequences.
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
  /// `cell` is gru or lstm.
  RecurrenceImpl(const std::string& cell, const Sizes& sizes);

  /// State of a recurrent cell as tensors of directions x samples x hidden: the hidden state, and
  /// also the cell state of an LSTM.
  using Memory = std::vector<at::Tensor>;
  struct Run {
    at::Tensor outputs;  ///< samples x length x directions * hidden
    Memory memory;       ///< state after the last input
  };
  /// Runs the layer from `memory`. `input` is samples x length x input.
  Run forward(const at::Tensor& input, const Memory& memory);
  /// Runs the layer from a state of zeros over the first `lengths` inputs of each sample. Each
  /// length is at least 1. The outputs after these inputs are 0.
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
