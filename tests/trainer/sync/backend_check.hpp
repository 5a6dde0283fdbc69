// SPDX-License-Identifier: Apache-2.0
// Checks of the backend for PyTorch's distributed package, and of tensors that it rejects.
#pragma once

#include <string>

#include "trainer/comm/communicator.hpp"

namespace dlscale::test {

/// **Collective.** Checks every call of the backend through a process group. Throws
/// std::runtime_error that names the first wrong result.
void check_backend(trainer::Communicator& communicator);

/// Returns the error of span_of() for a tensor of this kind: "gaps" (a column of a matrix),
/// "complex" (a type without ElementType), or "meta" (not on the CPU).
std::string refusal(const std::string& kind);

}  // namespace dlscale::test
