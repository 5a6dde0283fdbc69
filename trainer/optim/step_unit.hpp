// SPDX-License-Identifier: Apache-2.0
// What an optimizer treats alike: a tensor, or a stretch of one.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "trainer/optim/optimizer.hpp"

namespace dlscale::trainer {

struct StepUnit {
  ParameterPiece piece;
  bool is_whole = true;  ///< the tensor is one unit
  bool decays = true;    ///< weight decay is for it

  /// Its part of the tensor, or of another like it (gradient, momentum); shares the memory.
  at::Tensor of(const at::Tensor& tensor) const {
    return is_whole ? tensor : tensor.narrow(0, piece.first, piece.count);
  }
  /// The same as one row of values in the order in which `like` has them in memory: LibTorch's
  /// fused optimizers copy what is not contiguous, as filters with their channels last are not.
  at::Tensor row_of(const at::Tensor& tensor, const at::Tensor& like) const;
  const at::Tensor& in(const std::vector<at::Tensor>& tensors) const {
    return tensors[piece.tensor];
  }
};

/// Every parameter's, also those without elements here.
std::vector<StepUnit> units_by_parameter(const contract::OptimizerSpec& spec,
                                         const Stepped& stepped);

/// As few as weight decay allows: each tensor is one unit where all decays.
std::vector<StepUnit> units_by_decay(const contract::OptimizerSpec& spec, const Stepped& stepped);

}  // namespace dlscale::trainer
