// SPDX-License-Identifier: Apache-2.0
// What each block of a model computes and hands on, found by running it.
#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <vector>

#include "trainer/models/model.hpp"

namespace dlscale::trainer {

struct BlockCost {
  /// Of a forward pass of one sample: those of convolutions and matrix products.
  double multiply_adds = 0;
  double parameters = 0;             ///< scalars
  std::vector<std::int64_t> output;  ///< shape of its output for one sample, without the samples
  c10::ScalarType type = c10::ScalarType::Undefined;  ///< of it
};

/// Runs one sample of `input` (its shape without the samples) through the model in evaluation
/// behaviour, and leaves it in training behaviour.
std::vector<BlockCost> measure_blocks(Model& model, const std::vector<std::int64_t>& input);

}  // namespace dlscale::trainer
