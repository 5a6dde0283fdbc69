// SPDX-License-Identifier: Apache-2.0
// The tensors that were reduced before: a rank then says "ready" with one bit.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "trainer/comm/communicator.hpp"
#include "trainer/sync/horovod/messages.hpp"

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

// What a rank tells the others in every cycle: three flags and a bit for each cached tensor.

/// Bits are ANDed over the ranks, so flags that one rank is enough for travel inverted. A second
/// exchange, an OR, is made only where a rank has called invalid().
class CacheVote {
 public:
  /// `bits`: ResponseCache::bits(), the same on all ranks.
  explicit CacheVote(int bits);

  // Before agree(): what this rank says. Of a cached tensor it is ready for, one of hit and
  // invalid.
  void hit(int bit);
  /// The tensor must be negotiated anew. Implies uncached().
  void invalid(int bit);
  /// A tensor of this rank has no bit.
  void uncached();
  void shut_down();

  /// **Collective.**
  void agree(Communicator& communicator);

  // After it: the same on all ranks.
  std::vector<int> hits() const { return set_bits(hits_); }             ///< of all ranks, rising
  std::vector<int> invalid_bits() const { return set_bits(invalid_); }  ///< of any rank, rising
  bool any_uncached() const { return !flag(kNoneUncached); }
  bool any_shut_down() const { return !flag(kNoneShutDown); }
  /// That this rank has exchanged.
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
