// SPDX-License-Identifier: Apache-2.0
// Whether ranks call the same collective.
#pragma once

#include <cstdint>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

/// A collective as all ranks must call it.
struct NamedCollective {
  const char* name;
  Span data;
  ReduceOp op = ReduceOp::sum;
  int root = 0;
};

/// 0 or more. Calls that differ have different ones but for 1 case in 2^62.
std::int64_t number_of(const NamedCollective& call);

}  // namespace dlscale::trainer
