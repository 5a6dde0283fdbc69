// SPDX-License-Identifier: Apache-2.0
// Private to models/*.cpp: one recurrent layer, GRU or LSTM, over padded sequences.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string>
#include <vector>

namespace dlscale::trainer {

/// PyTorch's names and initial distribution of parameters.
class RecurrenceImpl : public torch::nn::Module {
 public:
  struct Sizes {
    std::int64_t input = 0, hidden = 0;
    bool both_directions = false;
  };
  /// `cell` is gru or lstm.
  RecurrenceImpl(const std::string& cell, const Sizes& sizes);

  /// What a cell remembers, directions x samples x hidden: the state, and an LSTM's cell beside it.
  using Memory = std::vector<at::Tensor>;
  struct Run {
    at::Tensor outputs;  ///< samples x length x directions * hidden
    Memory memory;       ///< behind the last input
  };
  /// `input`: samples x length x input.
  Run forward(const at::Tensor& input, const Memory& memory);
  /// From a memory of zeros over the first `lengths` inputs of each sample, at least one; the
  /// outputs behind them are 0.
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
