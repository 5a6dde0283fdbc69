// SPDX-License-Identifier: Apache-2.0
// Private to models/*.cpp: what a file of weights that others have trained fills.
#pragma once

#include <string>
#include <vector>

#include "trainer/checkpoint/named_tensor.hpp"

namespace dlscale::trainer {

struct Pretrained {
  std::vector<NamedTensor> tensors;  ///< by the names that the file has for them
  std::string unused;  ///< tensors whose names begin so may be in the file; empty: none
};

}  // namespace dlscale::trainer
