// SPDX-License-Identifier: Apache-2.0
// What a loader delivers and a step consumes.
#pragma once

#include <ATen/core/Tensor.h>

namespace dlscale::trainer {

struct Batch {
  at::Tensor input;   ///< samples x channels x height x width, normalised
  at::Tensor target;  ///< samples, int64 class numbers
  std::int64_t size() const { return target.defined() ? target.numel() : 0; }
};

}  // namespace dlscale::trainer
