// SPDX-License-Identifier: Apache-2.0
// A rank's word to the coordinator that tensors of it are ready to be reduced.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/comm/communicator.hpp"
#include "trainer/sync/horovod/wire.hpp"

namespace dlscale::trainer::horovod {

struct Request {
  std::string name;  ///< the same on all ranks
  ElementType type = ElementType::float32;
  std::vector<std::int64_t> shape;
  double waited_s = 0;  ///< since it was submitted

  std::int64_t count() const;
  bool same_layout(const Request& other) const {
    return type == other.type && shape == other.shape;
  }
  /// "float32 [64, 3, 7, 7]"
  std::string layout() const;
};

/// What a rank sends the coordinator in a cycle.
struct RequestList {
  std::vector<Request> requests;
  bool shut_down = false;  ///< this rank takes no more part
};

Bytes pack(const RequestList& list);
/// Throws RunError when the bytes end too early.
RequestList unpack_requests(const Bytes& bytes);

}  // namespace dlscale::trainer::horovod
