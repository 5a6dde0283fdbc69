// SPDX-License-Identifier: Apache-2.0
// What Horovod must do with gradients in the cases that ordinary training does not show.
#pragma once

#include <string>

#include "trainer/comm/communicator.hpp"

namespace dlscale::test {

// Each is **Collective** and throws std::runtime_error naming the first wrong result.

/// The sum over two micro-batches is exchanged once, with the second.
void check_accumulation(trainer::Communicator& communicator);
/// A parameter that one rank alone has used gets a share of that rank's gradient everywhere.
void check_unused_on_others(trainer::Communicator& communicator);
/// `compression` rounds as its type does and no worse; gradients keep their type.
void check_compression(trainer::Communicator& communicator, const std::string& compression,
                       double relative_error);
/// What a second backward pass in one step says.
std::string second_backward(trainer::Communicator& communicator);

}  // namespace dlscale::test
