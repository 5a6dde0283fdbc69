// SPDX-License-Identifier: Apache-2.0
// Memory that the ranks of one node have in common.
#pragma once

#include <cstddef>
#include <memory>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

/// Zeros at first. Has no name any more once all ranks have it, so nothing of it stays behind.
class SharedSegment {
 public:
  /// **Collective.** Null on every rank when one of them does not reach this memory, for example
  /// because it is on another node or in another container, or when there is not enough.
  static std::unique_ptr<SharedSegment> make(Communicator& ranks, std::size_t bytes);
  ~SharedSegment();
  SharedSegment(const SharedSegment&) = delete;
  SharedSegment& operator=(const SharedSegment&) = delete;

  /// On a page's boundary.
  std::byte* data() const;

 private:
  SharedSegment(std::byte* memory, std::size_t bytes) : memory_(memory), bytes_(bytes) {}
  std::byte* memory_;
  std::size_t bytes_;
};

}  // namespace dlscale::trainer
