// SPDX-License-Identifier: Apache-2.0
#include "predict/overlap.hpp"

#include <algorithm>
#include <string>

namespace dlscale::predict {

std::vector<Bucket> gradient_buckets(const contract::ModelCard& card, const ComputeTimes& times,
                                     Bytes first, Bytes others) {
  const Bytes number = number_width(card.precision);
  std::vector<Bucket> buckets;
  Bucket open;
  Seconds now;
  for (std::size_t i = card.layers.size(); i-- > 0;) {
    now += times.layers[i].backward.time;
    if (card.layers[i].parameters == 0) continue;
    open.size += number * static_cast<double>(card.layers[i].parameters);
    open.ready = now;
    if (open.size < (buckets.empty() ? first : others)) continue;
    buckets.push_back(open);
    open = {};
  }
  if (open.size.value > 0) buckets.push_back(open);
  return buckets;
}

std::vector<Bucket> block_buckets(const contract::ModelCard& card, const ComputeTimes& times) {
  const Bytes number = number_width(card.precision);
  std::vector<Bucket> buckets;
  std::string block;
  Seconds now;
  for (std::size_t i = card.layers.size(); i-- > 0;) {
    const contract::LayerCard& layer = card.layers[i];
    now += times.layers[i].backward.time;
    if (layer.parameters == 0) continue;
    if (buckets.empty() || layer.block != block) buckets.emplace_back();
    block = layer.block;
    buckets.back().size += number * static_cast<double>(layer.parameters);
    buckets.back().ready = now;
  }
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
