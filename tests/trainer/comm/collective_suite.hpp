// SPDX-License-Identifier: Apache-2.0
// Checks of the behaviour that every communicator must have.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/comm/communicator.hpp"

namespace dlscale::test {

/// The checks fill element j of rank r with r x 1000003 + j before a call (modulo 51 in the types
/// of 1 and 2 bytes), so that a wrong element reveals its origin. All functions throw
/// std::runtime_error that names the first wrong element. All functions are **Collective**.

/// Checks all calls with all element types, reduction operations and roots, for each element count
/// per rank.
void check_collectives(trainer::Communicator& communicator,
                       const std::vector<std::int64_t>& counts);

/// Runs check_collectives() for one type, for large counts.
void check_collectives_of(trainer::Communicator& communicator, trainer::ElementType type,
                          std::int64_t count);

/// Checks only all-reduces, with all types and operations.
void check_all_reduces(trainer::Communicator& communicator,
                       const std::vector<std::int64_t>& counts);

/// Runs the suite on parts of several kinds. Two parts and the whole communicator then run the
/// suite at the same time, each in its own thread.
void check_splits(trainer::Communicator& communicator);

/// Checks that each call is counted once, with the bytes that this rank contributes.
void check_counters(trainer::Communicator& communicator);

}  // namespace dlscale::test
