// SPDX-License-Identifier: Apache-2.0
// Cache of tensors that were reduced before, for which a rank reports its readiness with one bit.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "trainer/comm/communicator.hpp"
#include "trainer/sync/horovod/messages.hpp"

namespace dlscale::trainer::horovod {

/// Cache that assigns a bit to each tensor. Bits have the same meaning on all ranks as long as all
/// ranks make the same calls of put, use and erase in the same order. Each rank stores its own
/// layouts.
class ResponseCache {
 public:
  /// Makes a cache of at most `capacity` tensors. With 0, the cache stays empty.
  explicit ResponseCache(int capacity) : capacity_(static_cast<std::size_t>(capacity)) {}

  enum class Lookup {
    miss,
    hit,
    invalid,  ///< cached tensor with a different type or shape
  };
  Lookup find(const Request& request) const;
  /// Returns the bit of a cached tensor.
  int bit_of(const std::string& name) const { return static_cast<int>(bits_.at(name)); }
  /// Returns the number of bits in use: 0, 1, … bits()-1.
  int bits() const { return static_cast<int>(slots_.size()); }
  std::size_t capacity() const { return capacity_; }

  /// Adds a tensor that is not cached. If the cache is full, the tensor replaces the least recently
  /// used tensor.
  void put(const Request& request);
  /// Returns the response to a cached tensor for which all ranks are ready.
  Response use(int bit);
  /// Removes a tensor. All higher bits decrease by one.
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

// Vote that each rank sends in every cycle: three flags and a bit for each cached tensor.

/// Vote that combines the bits of all ranks with AND. Flags that a single rank can raise are
/// therefore sent inverted. A second exchange, an OR, takes place only if a rank has called
/// invalid().
class CacheVote {
 public:
  /// Makes an empty vote. `bits` is ResponseCache::bits(), which is the same on all ranks.
  explicit CacheVote(int bits);

  // The members below set the vote of this rank before agree(). A rank calls hit() or invalid() for
  // each cached tensor for which it is ready.
  void hit(int bit);
  /// Requires a new negotiation of the tensor. Implies uncached().
  void invalid(int bit);
  /// Reports that this rank has a tensor without a bit.
  void uncached();
  void shut_down();

  /// **Collective.** Exchanges the votes.
  void agree(Communicator& communicator);

  // The results below are valid after agree() and the same on all ranks. Bits are in ascending
  // order.
  std::vector<int> hits() const { return set_bits(hits_); }             ///< bits set by all ranks
  std::vector<int> invalid_bits() const { return set_bits(invalid_); }  ///< bits set by any rank
  bool any_uncached() const { return !flag(kNoneUncached); }
  bool any_shut_down() const { return !flag(kNoneShutDown); }
  /// Returns the number of bytes that this rank has exchanged.
  std::int64_t bytes() const { return bytes_; }

 private:
  enum Flag { kNoneShutDown, kNoneUncached, kNoneInvalid, kFlags };
  using Words = std::vector<std::uint64_t>;
  bool flag(Flag flag) const { return (hits_[0] >> flag & 1) != 0; }
  static std::vector<int> set_bits(const Words& words);
  void exchange(Words& words, Communicator& communicator);

  Words hits_;
  Words invalid_;
  std::int64_t bytes_ = 0;
};

}  // namespace dlscale::trainer::horovod
