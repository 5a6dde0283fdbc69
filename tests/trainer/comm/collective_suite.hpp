// SPDX-License-Identifier: Apache-2.0
// What every communicator must do.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/comm/communicator.hpp"

namespace dlscale::test {

/// **Collective.** Runs all collectives on all element types, ops, roots and the given element
/// counts. Throws std::runtime_error naming the first wrong element; element j of rank r is
/// r x 1000003 + j (modulo 51 in bytes), so that a wrong one tells where it came from.
void check_collectives(trainer::Communicator& communicator,
                       const std::vector<std::int64_t>& counts);

}  // namespace dlscale::test
