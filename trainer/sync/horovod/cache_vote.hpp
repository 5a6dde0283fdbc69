// SPDX-License-Identifier: Apache-2.0
// What a rank tells the others in every cycle: three flags and a bit for each cached tensor.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer::horovod {

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
