// SPDX-License-Identifier: Apache-2.0
// Horovod's FuseResponses.
#include "trainer/sync/horovod/fusion.hpp"

#include <deque>
#include <utility>

namespace dlscale::trainer::horovod {
namespace {

/// Takes from `rest` what may be reduced together with `first`.
void take_up(Response& first, std::deque<Response>& rest, std::int64_t threshold_bytes) {
  std::deque<Response> skipped;
  std::int64_t skipped_bytes = 0;
  while (!rest.empty()) {
    Response& next = rest.front();
    const bool fits = next.error.empty() && next.type == first.type &&
                      first.bytes() + next.bytes() <= threshold_bytes;
    if (fits) {
      first.names.push_back(std::move(next.names.front()));
      first.count += next.count;
    } else {
      skipped_bytes += next.bytes();
      if (first.bytes() + skipped_bytes > threshold_bytes) break;
      skipped.push_back(std::move(next));
    }
    rest.pop_front();
  }
  for (; !skipped.empty(); skipped.pop_back()) rest.push_front(std::move(skipped.back()));
}

}  // namespace

std::vector<Response> fuse(const std::vector<Response>& responses, std::int64_t threshold_bytes) {
  std::deque<Response> rest(responses.begin(), responses.end());
  std::vector<Response> fused;
  while (!rest.empty()) {
    fused.push_back(std::move(rest.front()));
    rest.pop_front();
    if (fused.back().error.empty()) take_up(fused.back(), rest, threshold_bytes);
  }
  return fused;
}

std::int64_t rounded_threshold(std::int64_t threshold_bytes, int local_size) {
  constexpr std::int64_t kAtomicUnit = 64;
  const auto unit =
      local_size * static_cast<std::int64_t>(bytes_of(ElementType::float64)) * kAtomicUnit;
  return (threshold_bytes + unit - 1) / unit * unit;
}

}  // namespace dlscale::trainer::horovod
