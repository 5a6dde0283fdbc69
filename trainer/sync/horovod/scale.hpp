// SPDX-License-Identifier: Apache-2.0
// Multiplying elements by a number; 16-bit floats are multiplied in float32 and rounded.
#pragma once

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer::horovod {

bool is_floating(ElementType type);

/// to = factor * from, element by element; `from` has to.count elements of to.type and may be
/// to.data. Floating types only.
void scale(const void* from, const Span& to, double factor);

}  // namespace dlscale::trainer::horovod
