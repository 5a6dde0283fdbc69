// SPDX-License-Identifier: Apache-2.0
#include "trainer/sync/horovod/response_cache.hpp"

#include <algorithm>
#include <bit>

namespace dlscale::trainer::horovod {

// The following functions belong to the cache, which assigns bit numbers to tensors.

ResponseCache::Lookup ResponseCache::find(const Request& request) const {
  const auto place = bits_.find(request.name);
  if (place == bits_.end()) return Lookup::miss;
  return slots_[place->second].request.same_layout(request) ? Lookup::hit : Lookup::invalid;
}

void ResponseCache::put(const Request& request) {
  if (capacity_ == 0) return;
  Slot slot{request, ++uses_};
  if (slots_.size() < capacity_) {
    bits_[request.name] = slots_.size();
    slots_.push_back(std::move(slot));
    return;
  }
  const auto oldest = std::min_element(
      slots_.begin(), slots_.end(), [](const Slot& a, const Slot& b) { return a.used < b.used; });
  bits_.erase(oldest->request.name);
  bits_[request.name] = static_cast<std::size_t>(oldest - slots_.begin());
  *oldest = std::move(slot);
}

Response ResponseCache::use(int bit) {
  Slot& slot = slots_[static_cast<std::size_t>(bit)];
  slot.used = ++uses_;
  return {{slot.request.name}, slot.request.type, slot.request.count(), ""};
}

void ResponseCache::erase(int bit) {
  const auto place = slots_.begin() + bit;
  bits_.erase(place->request.name);
  slots_.erase(place);
  for (auto& [name, other] : bits_) {
    if (other > static_cast<std::size_t>(bit)) --other;
  }
}

// The following functions belong to the vote, which stores its bits in 64-bit words and reduces the
// words over the ranks.

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
  // The communicator has no bitwise OR, but a | b = ~(~a & ~b).
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
