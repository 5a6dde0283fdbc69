// SPDX-License-Identifier: Apache-2.0
// The coordinator's word to all ranks which tensors are to be reduced, in which order and company.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/comm/communicator.hpp"
#include "trainer/sync/horovod/wire.hpp"

namespace dlscale::trainer::horovod {

/// One reduction of one tensor or of several as one.
struct Response {
  std::vector<std::string> names;
  ElementType type = ElementType::float32;
  std::int64_t count = 0;  ///< elements of all
  std::string error;       ///< not empty: the tensors cannot be reduced, for this reason

  std::int64_t bytes() const { return count * static_cast<std::int64_t>(bytes_of(type)); }
};

/// What all ranks do in a cycle.
struct ResponseList {
  std::vector<Response> responses;
  bool shut_down = false;  ///< a rank takes no more part, so this is the end for all
};

Bytes pack(const ResponseList& list);
/// Throws RunError when the bytes end too early.
ResponseList unpack_responses(const Bytes& bytes);

}  // namespace dlscale::trainer::horovod
