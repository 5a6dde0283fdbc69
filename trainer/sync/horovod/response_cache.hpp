// SPDX-License-Identifier: Apache-2.0
// The tensors that were reduced before: a rank then says "ready" with one bit.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "trainer/sync/horovod/request.hpp"
#include "trainer/sync/horovod/response.hpp"

namespace dlscale::trainer::horovod {

/// Bits mean the same on all ranks as long as all make the same calls of put, use and erase in the
/// same order; the layouts are each rank's own.
class ResponseCache {
 public:
  /// `capacity` tensors; 0: it stays empty.
  explicit ResponseCache(int capacity) : capacity_(static_cast<std::size_t>(capacity)) {}

  enum class Lookup {
    miss,
    hit,
    invalid,  ///< the tensor is there with another type or shape
  };
  Lookup find(const Request& request) const;
  /// Of a tensor that is there.
  int bit_of(const std::string& name) const { return static_cast<int>(bits_.at(name)); }
  /// Bits in use: 0, 1, … bits()-1.
  int bits() const { return static_cast<int>(slots_.size()); }
  std::size_t capacity() const { return capacity_; }

  /// A tensor that is not there; takes the place of the one used longest ago when the cache is
  /// full.
  void put(const Request& request);
  /// The response to a cached tensor that all ranks are ready for.
  Response use(int bit);
  /// Bits above fall by one.
  void erase(int bit);

 private:
  struct Slot {
    Request request;
    std::uint64_t used;
  };
  std::size_t capacity_;
  std::vector<Slot> slots_;
  std::unordered_map<std::string, std::size_t> bits_;
  std::uint64_t uses_ = 0;
};

}  // namespace dlscale::trainer::horovod
