// SPDX-License-Identifier: Apache-2.0
// Cache of tensors that were reduced before. A rank reports with a single bit that a cached tensor
// is ready.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "trainer/comm/communicator.hpp"
#include "trainer/sync/horovod/messages.hpp"

namespace dlscale::trainer::horovod {

/// Cache that assigns a bit number to each tensor. All ranks must make the same calls of put, use
/// and erase in the same order, so that a bit stands for the same tensor on all ranks. Each rank
/// stores the type and shape that the tensor has on this rank.
class ResponseCache {
 public:
  /// Makes a cache for at most `capacity` tensors. With a capacity of 0, the cache stays empty.
  explicit ResponseCache(int capacity) : capacity_(static_cast<std::size_t>(capacity)) {}

  enum class Lookup {
    miss,
    hit,
    invalid,  ///< the cached tensor has a different type or shape
  };
  Lookup find(const Request& request) const;
  /// Returns the bit number of a cached tensor.
  int bit_of(const std::string& name) const { return static_cast<int>(bits_.at(name)); }
  /// Returns the number of cached tensors. Their bit numbers are 0 to bits()-1.
  int bits() const { return static_cast<int>(slots_.size()); }
  std::size_t capacity() const { return capacity_; }

  /// Adds a tensor that is not cached. If the cache is full, the tensor replaces the least recently
  /// used tensor.
  void put(const Request& request);
  /// Returns the response for a cached tensor for which all ranks are ready, and marks the tensor
  /// as used.
  Response use(int bit);
  /// Removes a tensor. The bit numbers of all tensors with higher bit numbers decrease by one.
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

/// Vote of all ranks on the cached tensors. The votes are combined with a bitwise AND, so a tensor
/// is agreed on only if all ranks have set its bit. A flag must be set in the result if any rank
/// sets it, so flags are sent inverted. If a rank has called invalid(), a second exchange combines
/// the invalid bits with a bitwise OR.
class CacheVote {
 public:
  /// Makes an empty vote. `bits` is ResponseCache::bits(). The number must be the same on all
  /// ranks.
  explicit CacheVote(int bits);

  // The following functions set the vote of this rank and must be called before agree(). A rank
  // calls hit() or invalid() for each cached tensor that is ready on this rank.
  void hit(int bit);
  /// Requests that the tensor is removed from the cache and negotiated through the coordinator.
  /// Includes the effect of uncached().
  void invalid(int bit);
  /// Reports that this rank has a tensor that is not in the cache.
  void uncached();
  void shut_down();

  /// **Collective.** Exchanges the votes.
  void agree(Communicator& communicator);

  // The following functions return results that are valid after agree() and are the same on all
  // ranks. Bit numbers are in ascending order.
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
