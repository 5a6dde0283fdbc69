// SPDX-License-Identifier: Apache-2.0
#include "predict/memory.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "predict/compute_fit.hpp"
#include "predict/roofline.hpp"

namespace dlscale::predict {
namespace {

std::string gib(Bytes bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f GiB", bytes / kGibibyte);
  return text;
}

/// Returns the first `levels` words of a layer name: "features.denseblock1" for two words of
/// "features.denseblock1.denselayer1.conv1".
std::string beginning(const std::string& name, int levels) {
  std::size_t end = name.find('.');
  for (int i = 1; i < levels && end != std::string::npos; ++i) end = name.find('.', end + 1);
  return name.substr(0, end);
}

/// Returns the largest number in [0, most] for which `fits` is true. `fits` must be true up to some
/// number and false above this number.
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

Bytes all_gradients(const contract::ModelCard& card) {
  return number_width(card.precision) * static_cast<double>(card.parameters);
}

/// Returns the bytes of the gradients of the layer or block that has the most gradients. `name`
/// selects layers or blocks.
Bytes largest_of(const contract::ModelCard& card, std::string contract::LayerCard::*name) {
  std::map<std::string, std::int64_t> parameters;
  std::int64_t most = 0;
  for (const contract::LayerCard& layer : card.layers) {
    most = std::max(most, parameters[layer.*name] += layer.parameters);
  }
  return number_width(card.precision) * static_cast<double>(most);
}

Bytes held_parameters(const contract::ModelCard& card, const MemorySetting& setting) {
  const Bytes all{card.parameter_bytes}, buffers{card.buffer_bytes};
  if (setting.zero_stage < 3) return all + buffers;
  const Bytes ahead = largest_of(card, &contract::LayerCard::block) + setting.prefetch;
  return all / setting.ranks + std::min(all, ahead) + buffers;
}

Bytes held_buckets(const contract::ModelCard& card, const MemorySetting& setting) {
  if (!setting.buckets) return {};
  const Bytes all = all_gradients(card) * (setting.compressed > 0 ? setting.compressed : 1);
  if (setting.bucket_limit.value <= 0) return all;
  Bytes one = setting.bucket_limit;
  if (setting.bucket_grows) one = std::max(one, largest_of(card, &contract::LayerCard::name));
  one = std::min(one, all);
  // A second bucket exists as soon as the first bucket has no space for the next gradient.
  return setting.fills_beside && (one < all || setting.passes > 1) ? one * 2 : one;
}

/// Memory of gradients: a constant part, and a part that is a factor times the bytes of the
/// gradients that the backward pass has made so far.
struct HeldGradients {
  Bytes always;
  double of_made = 0;
  Bytes at(Bytes made) const { return always + made * of_made; }
};

HeldGradients held_gradients(const contract::ModelCard& card, const MemorySetting& setting) {
  const int stage = setting.zero_stage;
  const Bytes all = all_gradients(card);
  const Bytes part = stage > 0 ? all / setting.ranks : Bytes{};
  // The gradients of a block are sent together from a separate vector, so each gradient is in
  // memory twice.
  if (stage == 3) return {part + largest_of(card, &contract::LayerCard::block) * 2};
  if (stage == 2 || setting.fills_beside) return {part};  // gradients are sent one after another
  const double each = 1 + setting.compressed;
  if (setting.passes > 1) return {part + all * each};
  if (setting.buckets && setting.gradients_in_buckets) return {part};
  return {part, each};
}

/// Returns the bytes of the input batches that are already in memory but used in a later pass of
/// the step.
Bytes waiting_inputs(const contract::ModelCard& card, double batch, const MemorySetting& setting) {
  double numbers = batch * (setting.passes - 1);
  for (const std::int64_t extent : card.input) numbers *= static_cast<double>(extent);
  return number_width(card.precision) * numbers;
}

}  // namespace

MemoryParts peak_memory(const contract::ModelCard& card, double batch, const MemorySetting& setting,
                        Bytes context) {
  const double states = setting.optimizer_states;
  const double share = setting.zero_stage > 0 ? 1.0 / setting.ranks : 1;
  const HeldGradients held = held_gradients(card, setting);
  MemoryParts parts{.parameters = held_parameters(card, setting),
                    .gradients = held.always,
                    .optimizer = all_gradients(card) * (states * share),
                    .buckets = held_buckets(card, setting),
                    .context = context};
  const Bytes waiting = waiting_inputs(card, batch, setting);
  const auto look = [&](std::size_t layer, bool backward, Bytes made) {
    const auto& pass = backward ? card.layers[layer].backward : card.layers[layer].forward;
    const Bytes live = Bytes{pass.live.at(batch)} + waiting;
    const Bytes gradients = held.at(made);
    if (live + gradients <= parts.activations + parts.gradients) return;
    parts.activations = live;
    parts.gradients = gradients;
    parts.layer = layer;
    parts.backward = backward;
  };
  for (std::size_t i = 0; i < card.layers.size(); ++i) look(i, false, {});
  const Bytes number = number_width(card.precision);
  Bytes made;
  for (std::size_t i = card.layers.size(); i-- > 0;) {
    made += number * static_cast<double>(card.layers[i].parameters);
    look(i, true, made);
  }
  parts.beyond = setting.beyond.at(parts.activations);
  return parts;
}

Bytes allocated_before(const contract::ModelCard& card, std::size_t layer, double batch,
                       const MemorySetting& setting) {
  Bytes sum{card.parameter_bytes + card.buffer_bytes};
  if (setting.buckets) sum += all_gradients(card);
  if (layer > 0) sum += Bytes{card.layers[layer - 1].forward.live.at(batch)};
  return sum;
}

DominatingLayer dominating_layer(const contract::ModelCard& card, double batch) {
  // A part that keeps at least this share of the activations is divided further, because the name
  // of such a part, for example "features", is too general to be helpful.
  constexpr double kNearlyAll = 0.9;
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
          gib(verdict.parts.activations) + " are activations, " + share + " of them from " +
          layer.name + ", the largest part from " + layer.most;
  if (verdict.fits) return text;
  return text + (verdict.largest_batch > 0 ? "; the largest batch per GPU that fits is " +
                                                 std::to_string(verdict.largest_batch)
                                           : "; no batch fits");
}

namespace {

using contract::MemoryPeak;
using Peaks = std::vector<MemoryPeak>;

/// Relative scatter of the peaks of runs with equal settings. If the slope over activations changes
/// the peaks by less than this scatter, the slope is set to 0.
constexpr double kPeakScatter = 0.03;

template <class Holds>
Peaks peaks_where(const Peaks& all, const Holds& holds) {
  Peaks some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some), holds);
  return some;
}

/// Returns whether a measured peak can be compared with `run`. The model and the batch may differ.
bool is_comparable(const MemoryPeak& peak, const contract::RunSpec& run) {
  if (peak.device != run.resources.device) return false;
  return peak.device != "cpu" || (peak.loader == run.loader && peak.dataset == run.dataset.kind);
}

/// Returns the peaks that were measured with the framework. If no peaks were measured with it,
/// returns all peaks.
Peaks by_framework(const Peaks& peaks, const std::string& framework) {
  Peaks own = peaks_where(peaks, [&](const auto& peak) { return peak.framework == framework; });
  return own.empty() ? peaks : own;
}

TermFit fit_peaks(const Peaks& peaks, bool grows) {
  std::vector<TermPoint> points;
  for (const MemoryPeak& peak : peaks) {
    points.push_back(
        {1, grows ? peak.activations_bytes : 0, peak.peak_memory_bytes, peak.card_bytes});
  }
  return fit_terms(points);
}

/// Fits a line over activations to the peaks, which must not be empty.
HeldMemory line_through(const Peaks& peaks) {
  std::vector<double> activations, all;
  HeldMemory held;
  for (const MemoryPeak& peak : peaks) {
    activations.push_back(peak.activations_bytes);
    all.push_back(peak.peak_memory_bytes);
    held.runs += std::max(1, peak.runs);
  }
  const auto [least, most] = std::minmax_element(activations.begin(), activations.end());
  held.least = {*least};
  held.most = {*most};
  TermFit fit = fit_peaks(peaks, true);
  const double grown = fit.second.value * (*most - *least);
  if (grown < kPeakScatter * median(std::move(all))) fit = fit_peaks(peaks, false);
  held.beyond = {{fit.first.value}, fit.second.value};
  held.relative_error = fit.relative_error;
  return held;
}

}  // namespace

double HeldMemory::uncertainty(Bytes activations) const {
  constexpr double kRounding = 0.01;  // tolerance for comparing activations
  const double error = std::max(2 * relative_error, kPeakScatter);
  const bool within =
      activations >= least * (1 - kRounding) && activations <= most * (1 + kRounding);
  const bool sure = runs > 0 && other_models == 0 && within;
  return sure ? error : std::max(error, kMemoryMargin);
}

HeldMemory held_memory(const std::vector<MemoryPeak>& measured, const contract::RunSpec& run,
                       const contract::ModelCard& card) {
  const Peaks known =
      peaks_where(measured, [&](const auto& peak) { return is_comparable(peak, run); });
  if (known.empty()) return {};
  const Peaks own = peaks_where(known, [&](const auto& peak) {
    return peak.model == card.model && peak.input == card.input && peak.options == card.options &&
           peak.precision == run.precision;
  });
  if (!own.empty()) return line_through(by_framework(own, run.framework));
  const Peaks others = by_framework(known, run.framework);
  std::set<std::string> models;
  for (const MemoryPeak& peak : others) models.insert(peak.model);
  HeldMemory held = line_through(others);
  held.other_models = static_cast<int>(models.size());
  // Runs of a single other model determine only the start, because the growth with activations
  // depends on the model.
  if (held.other_models < 2) held.beyond.of_activations = 0;
  return held;
}

}  // namespace dlscale::predict
