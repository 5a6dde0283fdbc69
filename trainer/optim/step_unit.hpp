// SPDX-License-Identifier: Apache-2.0
// Unit of an optimizer step: a whole tensor or a range of a tensor. All elements of a unit have the
// same optimizer settings, such as weight decay.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "trainer/optim/optimizer.hpp"

namespace dlscale::trainer {

struct StepUnit {
  ParameterPiece piece;
  bool is_whole = true;  ///< true when the unit is the whole tensor
  bool decays = true;    ///< true when weight decay applies to the unit

  /// Returns the elements of this unit in `tensor`. `tensor` is the parameter tensor of the unit or
  /// a tensor of the same shape, such as the gradient or the momentum of the parameter. The result
  /// shares memory with `tensor`.
  at::Tensor of(const at::Tensor& tensor) const {
    return is_whole ? tensor : tensor.narrow(0, piece.first, piece.count);
  }
  /// Returns the elements of this unit in `tensor` as a one-dimensional tensor, in the memory order
  /// of `like`. The one-dimensional form avoids copies: LibTorch's fused optimizers copy tensors
  /// that are not contiguous, such as filters in channels-last layout.
  at::Tensor row_of(const at::Tensor& tensor, const at::Tensor& like) const;
  const at::Tensor& in(const std::vector<at::Tensor>& tensors) const {
    return tensors[piece.tensor];
  }
};

/// Returns one unit for every parameter of the model, even if this rank holds no element of the
/// parameter.
std::vector<StepUnit> units_by_parameter(const contract::OptimizerSpec& spec,
                                         const Stepped& stepped);

/// Returns as few units as possible, with the condition that weight decay applies either to all
/// elements of a unit or to none. When the optimizer treats all parameters of the model alike, each
/// tensor is one unit.
std::vector<StepUnit> units_by_decay(const contract::OptimizerSpec& spec, const Stepped& stepped);

}  // namespace dlscale::trainer
