// SPDX-License-Identifier: Apache-2.0
#include "predict/held_memory.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "predict/term_fit.hpp"

namespace dlscale::predict {
namespace {

using contract::MemoryPeak;
using Peaks = std::vector<MemoryPeak>;

/// Equal runs differ by as much of their peaks: a slope that makes no more of them is scatter.
constexpr double kPeakScatter = 0.03;

template <class Holds>
Peaks peaks_where(const Peaks& all, const Holds& holds) {
  Peaks some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some), holds);
  return some;
}

/// Of runs whose memory is made of the same beside model and batch.
bool is_comparable(const MemoryPeak& peak, const contract::RunSpec& run) {
  if (peak.device != run.resources.device) return false;
  return peak.device != "cpu" || (peak.loader == run.loader && peak.dataset == run.dataset.kind);
}

/// Those of the framework, where there are some.
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

/// Not of none.
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
  constexpr double kRounding = 0.01;  // of batches that are as large as those measured
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
    return peak.model == card.model && peak.input == card.input && peak.precision == run.precision;
  });
  if (!own.empty()) return line_through(by_framework(own, run.framework));
  const Peaks others = by_framework(known, run.framework);
  std::set<std::string> models;
  for (const MemoryPeak& peak : others) models.insert(peak.model);
  HeldMemory held = line_through(others);
  held.other_models = static_cast<int>(models.size());
  if (held.other_models < 2) held.beyond.of_activations = 0;  // how it grows is that model's own
  return held;
}

}  // namespace dlscale::predict
