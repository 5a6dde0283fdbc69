// SPDX-License-Identifier: Apache-2.0
// Checks of Horovod's gradients in cases that ordinary training does not cover.
#pragma once

#include <string>

#include "trainer/comm/communicator.hpp"

namespace dlscale::test {

// All functions are **Collective**. The checks throw std::runtime_error that names the first wrong
// result.

/// Checks that the sum over two micro-batches is exchanged once, with the second micro-batch.
void check_accumulation(trainer::Communicator& communicator);
/// Checks that a parameter that only one rank has used gets a share of that rank's gradient on all
/// ranks.
void check_unused_on_others(trainer::Communicator& communicator);
/// Checks that `compression` rounds like its type and not worse, and that gradients keep their
/// type.
void check_compression(trainer::Communicator& communicator, const std::string& compression,
                       double relative_error);
/// Returns the error of a second backward pass in one step.
std::string second_backward(trainer::Communicator& communicator);

}  // namespace dlscale::test
