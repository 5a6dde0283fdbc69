// SPDX-License-Identifier: Apache-2.0
// What every communicator must do.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/comm/communicator.hpp"

namespace dlscale::test {

/// Element j of rank r before a call: r x 1000003 + j (modulo 51 in the types of 1 and 2 bytes), so
/// that a wrong one tells where it came from. All functions throw std::runtime_error naming the
/// first wrong element; all are **Collective**.

/// All calls on all element types, ops and roots, for each of the element counts per rank.
void check_collectives(trainer::Communicator& communicator,
                       const std::vector<std::int64_t>& counts);

/// The same for one type, where counts are large.
void check_collectives_of(trainer::Communicator& communicator, trainer::ElementType type,
                          std::int64_t count);

/// All-reduces alone, of all types and ops.
void check_all_reduces(trainer::Communicator& communicator,
                       const std::vector<std::int64_t>& counts);

/// Parts of several kinds pass the suite; two of them and the whole do at the same time, each in a
/// thread of its own.
void check_splits(trainer::Communicator& communicator);

/// Each call counts once, with the bytes this rank gives.
void check_counters(trainer::Communicator& communicator);

}  // namespace dlscale::test
