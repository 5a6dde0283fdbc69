// SPDX-License-Identifier: Apache-2.0
// Unit of an optimizer step: a tensor or a range of a tensor whose elements have the same settings.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "trainer/optim/optimizer.hpp"

namespace dlscale::trainer {

struct StepUnit {
  ParameterPiece piece;
  bool is_whole = true;  ///< true when the unit is the whole tensor
  bool decays = true;    ///< true when weight decay applies to the unit

  /// Returns the unit's part of `tensor`, or of a tensor of the same shape such as its gradient or
  /// momentum. The result shares memory with `tensor`.
  at::Tensor of(const at::Tensor& tensor) const {
    return is_whole ? tensor : tensor.narrow(0, piece.first, piece.count);
  }
  /// Returns the unit's part of `tensor` as one row of values, in the memory order of `like`.
  /// LibTorch's fused optimizers would copy tensors that are not contiguous, such as filters in
  /// channels-last layout.
  at::Tensor row_of(const at::Tensor& tensor, const at::Tensor& like) const;
  const at::Tensor& in(const std::vector<at::Tensor>& tensors) const {
    return tensors[piece.tensor];
  }
};

/// Returns one unit for every parameter, including parameters without elements on this rank.
std::vector<StepUnit> units_by_parameter(const contract::OptimizerSpec& spec,
                                         const Stepped& stepped);

/// Returns as few units as weight decay allows. Each tensor is one unit when weight decay applies
/// to all elements.
std::vector<StepUnit> units_by_decay(const contract::OptimizerSpec& spec, const Stepped& stepped);

}  // namespace dlscale::trainer
