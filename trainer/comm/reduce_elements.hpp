// SPDX-License-Identifier: Apache-2.0
// Element-wise arithmetic of reductions.
#pragma once

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

/// Computes into = op(into, from), element by element, for spans of the same count and type. 16-bit
/// floats are added in float32 and rounded to nearest even.
void reduce_elements(const Span& into, const Span& from, ReduceOp op);

}  // namespace dlscale::trainer
