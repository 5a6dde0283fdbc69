// SPDX-License-Identifier: Apache-2.0
// Function that measures the multiply-adds, the parameters and the output of each block of a model.
#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <vector>

#include "trainer/models/model.hpp"

namespace dlscale::trainer {

struct BlockCost {
  /// Number of multiply-adds of convolutions and matrix products in a forward pass of one sample.
  double multiply_adds = 0;
  double parameters = 0;             ///< number of scalars in the parameters
  std::vector<std::int64_t> output;  ///< shape of the output without the sample dimension
  c10::ScalarType type = c10::ScalarType::Undefined;  ///< data type of the output
};

/// Returns the cost of each block. Runs a forward pass of one sample in evaluation mode. `input` is
/// the shape of the sample, without the sample dimension. The model is in training mode afterwards.
std::vector<BlockCost> measure_blocks(Model& model, const std::vector<std::int64_t>& input);

}  // namespace dlscale::trainer
