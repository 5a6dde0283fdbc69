// SPDX-License-Identifier: Apache-2.0
#include "predict/roofline.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "base/error.hpp"

namespace dlscale::predict {

Rates rates_of(const Device& device, const std::string& precision) {
  const auto found = device.peak.find(precision);
  if (found != device.peak.end()) return {found->second, device.memory_bandwidth};
  std::string known;
  for (const auto& [name, peak] : device.peak) known += (known.empty() ? "" : ", ") + name;
  throw base::UsageError("the device " + device.name + " has no peak for " + precision +
                         " (it has: " + known + ")");
}

const char* to_string(Bound bound) {
  switch (bound) {
    case Bound::compute:
      return "compute";
    case Bound::memory:
      return "memory";
    case Bound::communication:
      break;
  }
  return "communication";
}

PassTime roofline(const contract::PassCost& cost, const Rates& rates, double batch) {
  const Seconds computing = Flop{cost.flops.at(batch)} / rates.peak;
  const Seconds moving =
      Bytes{cost.read.at(batch) + cost.written.at(batch)} / rates.memory_bandwidth;
  return computing > moving ? PassTime{computing, Bound::compute} : PassTime{moving, Bound::memory};
}

Seconds ComputeTimes::forward() const {
  return std::accumulate(layers.begin(), layers.end(), Seconds{},
                         [](Seconds sum, const LayerTime& l) { return sum + l.forward.time; });
}

Seconds ComputeTimes::backward() const {
  return std::accumulate(layers.begin(), layers.end(), Seconds{},
                         [](Seconds sum, const LayerTime& l) { return sum + l.backward.time; });
}

Seconds ComputeTimes::spent(Bound bound, bool forward_only) const {
  Seconds sum;
  for (const LayerTime& layer : layers) {
    if (layer.forward.bound == bound) sum += layer.forward.time;
    if (layer.backward.bound == bound && !forward_only) sum += layer.backward.time;
  }
  return sum;
}

Bytes number_width(const std::string& precision) {
  return precision == "fp64" ? kSingle * 2 : kSingle;
}

int optimizer_states(const std::string& optimizer, double momentum) {
  if (optimizer.starts_with("adam")) return 2;
  return momentum != 0 || optimizer == "lars" ? 1 : 0;
}

ComputeTimes roofline(const contract::ModelCard& card, const Rates& rates, double batch,
                      int optimizer_states) {
  ComputeTimes times;
  for (const contract::LayerCard& layer : card.layers) {
    times.layers.push_back(
        {roofline(layer.forward, rates, batch), roofline(layer.backward, rates, batch)});
  }
  const double moved = static_cast<double>(card.parameters) * (3 + 2 * optimizer_states);
  times.optimizer = number_width(card.precision) * moved / rates.memory_bandwidth;
  return times;
}

}  // namespace dlscale::predict
