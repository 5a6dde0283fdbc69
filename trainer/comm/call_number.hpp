// SPDX-License-Identifier: Apache-2.0
// Check that all ranks call the same collective.
#pragma once

#include <cstdint>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

/// Collective call with the properties that must be equal on all ranks.
struct NamedCollective {
  const char* name;
  Span data;
  ReduceOp op = ReduceOp::sum;
  int root = 0;
};

/// Returns a hash of the call that is never negative. Two different calls have the same hash with a
/// probability of 2^-62.
std::int64_t number_of(const NamedCollective& call);

}  // namespace dlscale::trainer
