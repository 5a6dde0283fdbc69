// SPDX-License-Identifier: Apache-2.0
// What the backend for PyTorch's distributed package must do, and what tensors are refused.
#pragma once

#include <string>

#include "trainer/comm/communicator.hpp"

namespace dlscale::test {

/// **Collective.** Every call of the backend through a process group. Throws std::runtime_error
/// naming the first wrong result.
void check_backend(trainer::Communicator& communicator);

/// What span_of says to a tensor: "gaps" (a column of a matrix), "half" (a type without
/// ElementType), "meta" (not on the CPU).
std::string refusal(const std::string& kind);

}  // namespace dlscale::test
