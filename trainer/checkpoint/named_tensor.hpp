// SPDX-License-Identifier: Apache-2.0
// A part's state as tensors with names.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace dlscale::trainer {

/// The tensor shares its memory with the part: who writes into it changes the part.
struct NamedTensor {
  std::string name;  ///< dots separate levels; no level is empty
  at::Tensor tensor;
};

}  // namespace dlscale::trainer
