// SPDX-License-Identifier: Apache-2.0
#include "predict/memory.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

namespace dlscale::predict {
namespace {

std::string gib(Bytes bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f GiB", bytes / kGibibyte);
  return text;
}

/// "features.denseblock1" of "features.denseblock1.denselayer1.conv1": so many of its words.
std::string beginning(const std::string& name, int levels) {
  std::size_t end = name.find('.');
  for (int i = 1; i < levels && end != std::string::npos; ++i) end = name.find('.', end + 1);
  return name.substr(0, end);
}

/// The largest number in [0, most] for which `fits` holds, where it holds up to some number.
template <class Fits>
std::int64_t largest(std::int64_t most, const Fits& fits) {
  std::int64_t low = 0, high = most;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (fits(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace

MemoryParts peak_memory(const contract::ModelCard& card, double batch, const MemorySetting& setting,
                        Bytes context) {
  const Bytes trained = kSingle * static_cast<double>(card.parameters);
  const auto part = [&](int stage) {
    return setting.zero_stage >= stage ? 1.0 / setting.ranks : 1;
  };
  MemoryParts parts{.parameters = Bytes{card.parameter_bytes} * part(3) + Bytes{card.buffer_bytes},
                    .gradients = trained * part(2),
                    .optimizer = trained * (setting.optimizer_states * part(1)),
                    .workspace = setting.workspace,
                    .context = context};
  if (setting.buckets) parts.buckets = trained;
  if (setting.buckets && setting.gradients_in_buckets) parts.gradients = {};
  for (std::size_t i = 0; i < card.layers.size(); ++i) {
    for (const bool backward : {false, true}) {
      const auto& pass = backward ? card.layers[i].backward : card.layers[i].forward;
      const Bytes live{pass.live.at(batch)};
      if (live <= parts.activations) continue;
      parts.activations = live;
      parts.layer = i;
      parts.backward = backward;
    }
  }
  return parts;
}

Bytes allocated_before(const contract::ModelCard& card, std::size_t layer, double batch,
                       const MemorySetting& setting) {
  const Bytes trained = kSingle * static_cast<double>(card.parameters);
  Bytes sum{card.parameter_bytes + card.buffer_bytes};
  if (setting.buckets) sum += trained;
  if (layer > 0) sum += Bytes{card.layers[layer - 1].forward.live.at(batch)};
  return sum;
}

DominatingLayer dominating_layer(const contract::ModelCard& card, double batch) {
  constexpr double kNearlyAll = 0.9;  // says nothing: "features"
  double all = 0, most = 0;
  DominatingLayer result;
  for (const contract::LayerCard& layer : card.layers) {
    const double saved = layer.saved.at(batch);
    all += saved;
    if (saved <= most) continue;
    most = saved;
    result.most = layer.name + " (" + layer.kind + ")";
  }
  if (all == 0) return result;
  for (int levels = 1; levels <= 2; ++levels) {
    std::map<std::string, double> parts;
    for (const contract::LayerCard& layer : card.layers) {
      parts[beginning(layer.name, levels)] += layer.saved.at(batch);
    }
    const auto part =
        std::max_element(parts.begin(), parts.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    result.name = part->first;
    result.share = part->second / all;
    if (result.share < kNearlyAll) break;
  }
  return result;
}

MemoryVerdict memory_verdict(const contract::ModelCard& card, std::int64_t batch,
                             const MemorySetting& setting, const Device& device, double margin) {
  const auto needed = [&](std::int64_t samples) {
    return peak_memory(card, static_cast<double>(samples), setting, device.context);
  };
  const auto fits = [&](std::int64_t samples) {
    return needed(samples).total() * (1 + margin) <= device.memory;
  };
  constexpr std::int64_t kMostBatch = 1 << 20;
  return {.parts = needed(batch),
          .capacity = device.memory,
          .fits = fits(batch),
          .margin = device.memory / needed(batch).total() - 1,
          .largest_batch = fits(0) ? largest(kMostBatch, fits) : 0};
}

std::string verdict_text(const MemoryVerdict& verdict, const contract::ModelCard& card,
                         std::int64_t batch) {
  const DominatingLayer layer = dominating_layer(card, static_cast<double>(batch));
  char share[32];
  std::snprintf(share, sizeof share, "%.0f %%", layer.share * 100);
  std::string text = verdict.fits ? "fits " : "does not fit ";
  text += gib(verdict.capacity) + ": needs " + gib(verdict.parts.total()) + ", of which " +
          gib(verdict.parts.activations) + " are activations, " + share + " of them of " +
          layer.name + ", most of " + layer.most;
  if (verdict.fits) return text;
  return text + (verdict.largest_batch > 0 ? "; the largest batch of a GPU that fits is " +
                                                 std::to_string(verdict.largest_batch)
                                           : "; no batch fits");
}

}  // namespace dlscale::predict
