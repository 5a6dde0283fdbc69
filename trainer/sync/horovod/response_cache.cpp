// SPDX-License-Identifier: Apache-2.0
// Which tensor has which bit.
#include "trainer/sync/horovod/response_cache.hpp"

#include <algorithm>

namespace dlscale::trainer::horovod {

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

}  // namespace dlscale::trainer::horovod
