// SPDX-License-Identifier: Apache-2.0
// Bits in words, and their reduction.
#include "trainer/sync/horovod/cache_vote.hpp"

#include <bit>

namespace dlscale::trainer::horovod {
namespace {

constexpr std::size_t kWordBits = 64;

std::uint64_t mask(std::size_t bit) {
  return std::uint64_t{1} << bit % kWordBits;
}

}  // namespace

CacheVote::CacheVote(int bits)
    : hits_((static_cast<std::size_t>(bits) + kFlags + kWordBits - 1) / kWordBits),
      invalid_(hits_.size()) {
  hits_[0] = mask(kNoneShutDown) | mask(kNoneUncached) | mask(kNoneInvalid);
}

void CacheVote::hit(int bit) {
  const auto place = static_cast<std::size_t>(bit) + kFlags;
  hits_[place / kWordBits] |= mask(place);
}

void CacheVote::invalid(int bit) {
  const auto place = static_cast<std::size_t>(bit) + kFlags;
  invalid_[place / kWordBits] |= mask(place);
  hits_[0] &= ~mask(kNoneInvalid);
  uncached();
}

void CacheVote::uncached() {
  hits_[0] &= ~mask(kNoneUncached);
}

void CacheVote::shut_down() {
  hits_[0] &= ~mask(kNoneShutDown);
}

void CacheVote::agree(Communicator& communicator) {
  exchange(hits_, communicator);
  if (flag(kNoneInvalid)) return;
  // a | b = ~(~a & ~b)
  for (std::uint64_t& word : invalid_) word = ~word;
  exchange(invalid_, communicator);
  for (std::uint64_t& word : invalid_) word = ~word;
}

void CacheVote::exchange(Words& words, Communicator& communicator) {
  const Span span{words.data(), static_cast<std::int64_t>(words.size()), ElementType::int64};
  communicator.all_reduce(span, ReduceOp::bit_and);
  bytes_ += static_cast<std::int64_t>(span.bytes());
}

std::vector<int> CacheVote::set_bits(const Words& words) {
  std::vector<int> bits;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint64_t rest = words[i];
    if (i == 0) rest &= ~(mask(kFlags) - 1);
    for (; rest != 0; rest &= rest - 1) {
      const std::size_t place = i * kWordBits + static_cast<std::size_t>(std::countr_zero(rest));
      bits.push_back(static_cast<int>(place - kFlags));
    }
  }
  return bits;
}

}  // namespace dlscale::trainer::horovod
