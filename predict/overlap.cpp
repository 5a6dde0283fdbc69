// SPDX-License-Identifier: Apache-2.0
#include "predict/overlap.hpp"

#include <algorithm>

namespace dlscale::predict {

std::vector<Bucket> gradient_buckets(const contract::ModelCard& card, const ComputeTimes& times,
                                     Bytes first, Bytes others) {
  std::vector<Bucket> buckets;
  Bucket open;
  Seconds now;
  for (std::size_t i = card.layers.size(); i-- > 0;) {
    now += times.layers[i].backward.time;
    if (card.layers[i].parameters == 0) continue;
    open.size += kSingle * static_cast<double>(card.layers[i].parameters);
    open.ready = now;
    if (open.size < (buckets.empty() ? first : others)) continue;
    buckets.push_back(open);
    open = {};
  }
  if (open.size.value > 0) buckets.push_back(open);
  return buckets;
}

Overlap overlap(const std::vector<Bucket>& buckets, Seconds backward,
                const std::function<Seconds(Bytes)>& cost) {
  Overlap result;
  Seconds finished;
  for (const Bucket& bucket : buckets) {
    const Seconds needed = cost(bucket.size);
    finished = std::max(finished, bucket.ready) + needed;
    result.total += needed;
  }
  if (finished > backward) result.exposed = finished - backward;
  return result;
}

}  // namespace dlscale::predict
