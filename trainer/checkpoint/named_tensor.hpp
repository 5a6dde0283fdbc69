// SPDX-License-Identifier: Apache-2.0
// A part's state as tensors with names.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

namespace dlscale::trainer {

/// The tensor shares its memory with the part: who writes into it changes the part.
struct NamedTensor {
  std::string name;  ///< dots separate levels; no level is empty
  at::Tensor tensor;
};

/// Adds `parts` to `all`, with `prefix` before their names.
inline void append(std::vector<NamedTensor>& all, const std::string& prefix,
                   std::vector<NamedTensor> parts) {
  for (NamedTensor& part : parts) all.push_back({prefix + part.name, std::move(part.tensor)});
}

}  // namespace dlscale::trainer
