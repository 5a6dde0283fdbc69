// SPDX-License-Identifier: Apache-2.0
#include "predict/band.hpp"

#include <algorithm>
#include <cmath>

namespace dlscale::predict {
namespace {

/// Returns the combination of two factors, each at least 1. Their logarithms are added in
/// quadrature.
double joined(double a, double b) {
  return std::exp(std::hypot(std::log(std::max(1.0, a)), std::log(std::max(1.0, b))));
}

}  // namespace

Band widened(Band band, Factors factors) {
  if (band.value <= 0 || (factors.low >= 1 && factors.high <= 1)) return band;
  // A low edge of 0 is infinitely far from the value on a logarithmic scale, and stays 0.
  band.low = band.low > 0 ? band.value / joined(band.value / band.low, 1 / factors.low) : 0;
  band.high = band.value * joined(band.high / band.value, factors.high);
  return band;
}

Band scaled(const Band& band, double scale) {
  return {band.value * scale, band.low * scale, band.high * scale};
}

namespace {

struct SiteSpread {
  std::string_view site;  ///< published system that the row leaves out; empty: none
  double input_pipeline;
  double memory;
  double gain;
};

/// Spreads of the efficiencies of published systems, from the first table of
/// docs/measurements/prediction_bands.md, which bench/prediction_bands.py writes.
constexpr SiteSpread kSpreads[] = {
    {"", 0.358, 0.090, 0.032},
    {"jureca-dc", 0.358, 0.094, 0.032},
    {"juwels-booster", 0.346, 0.094, 0.032},
    {"lumi-g", 0.358, 0.090, 0.032},
    {"nef", 0.310, 0.090, 0.009},
    {"nef-cpu", 0.310, 0.090, 0.009},
};

/// Returns the row of a published system. For other sites returns the row in which no system is
/// left out.
const SiteSpread& spread_for(std::string_view site) {
  const auto* found = std::find_if(std::begin(kSpreads), std::end(kSpreads),
                                   [&](const SiteSpread& each) { return each.site == site; });
  return found == std::end(kSpreads) ? kSpreads[0] : *found;
}

}  // namespace

SampleSource sample_source(const contract::RunSpec& run) {
  const bool in_memory = run.loader == "memory" || run.loader == "synthetic";
  return in_memory ? SampleSource::memory : SampleSource::input_pipeline;
}

PublishedSpread published_spread(SampleSource source, std::string_view site) {
  const SiteSpread& spread = spread_for(site);
  return {source == SampleSource::memory ? spread.memory : spread.input_pipeline, spread.gain};
}

bool is_published_system(std::string_view site) {
  return !spread_for(site).site.empty();
}

Factors missing_cost(const PublishedSpread& spread, int from, int gpus) {
  if (from == gpus) return {};
  const double loss = std::exp(spread.loss * std::abs(std::log2(static_cast<double>(gpus) / from)));
  const double gain = std::exp(spread.gain);
  return gpus > from ? Factors{1 / gain, loss} : Factors{1 / loss, gain};
}

Factors MissingTerms::of_step(int gpus) const {
  return widen(gpus) ? missing_cost(spread, measured_gpus, gpus) : Factors{};
}

Factors MissingTerms::of_efficiency(int first, int gpus) const {
  const int known = std::max(first, measured_gpus);
  if (!widen(gpus) || gpus <= known) return {};
  const Factors cost = missing_cost(spread, known, gpus);
  return {1 / cost.high, 1 / cost.low};
}

}  // namespace dlscale::predict
