// SPDX-License-Identifier: Apache-2.0
#include "predict/walltime.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dlscale::predict {

std::optional<ThroughputEstimate> throughput_at(std::vector<Throughput> measured, int gpus) {
  if (measured.empty()) return std::nullopt;
  std::sort(measured.begin(), measured.end(), [](const Throughput& a, const Throughput& b) {
    return std::pair(a.gpus, a.samples_per_s) < std::pair(b.gpus, b.samples_per_s);
  });
  const auto last = std::unique(measured.begin(), measured.end(),
                                [](const auto& a, const auto& b) { return a.gpus == b.gpus; });
  measured.erase(last, measured.end());
  const auto above = std::lower_bound(measured.begin(), measured.end(), gpus,
                                      [](const Throughput& m, int g) { return m.gpus < g; });
  if (above != measured.end() && above->gpus == gpus) return {{above->samples_per_s, false, gpus}};
  if (above == measured.begin() || above == measured.end()) {
    const Throughput& nearest = above == measured.begin() ? *above : measured.back();
    return {{nearest.samples_per_s * gpus / nearest.gpus, true, nearest.gpus}};
  }
  const Throughput& below = *std::prev(above);
  const double part = std::log(static_cast<double>(gpus) / below.gpus) /
                      std::log(static_cast<double>(above->gpus) / below.gpus);
  const double growth = above->samples_per_s / below.samples_per_s;
  return {{below.samples_per_s * std::pow(growth, part), false, gpus}};
}

std::optional<std::int64_t> known_train_samples(std::string_view dataset_kind) {
  constexpr std::pair<std::string_view, std::int64_t> kSizes[] = {
      {"mnist", 60'000},           {"fashion_mnist", 60'000}, {"cifar10", 50'000},
      {"synthetic_digits", 6'000}, {"synthetic", 1'024},      {"text_ag_news", 120'000},
      {"text_sst", 6'920},         {"text_trec", 5'452},      {"text_multi30k", 29'000}};
  for (const auto& [kind, samples] : kSizes) {
    if (kind == dataset_kind) return samples;
  }
  return std::nullopt;
}

std::optional<std::int64_t> train_samples(const contract::DatasetSpec& dataset) {
  if (dataset.train_samples > 0) return dataset.train_samples;
  const bool drawn_as_asked = dataset.kind == "synthetic_digits";
  if (dataset.first_classes > 0 && !drawn_as_asked) return std::nullopt;
  const std::optional<std::int64_t> all = known_train_samples(dataset.kind);
  if (!all || dataset.folds < 2) return all;
  if (dataset.kind == "text_ag_news") return std::nullopt;
  // The samples whose index modulo `folds` is `fold` - 1 are test samples, so they are not counted.
  return *all - (*all - dataset.fold + dataset.folds) / dataset.folds;
}

double walltime_s(double predicted_s, double margin, double longest_s) {
  constexpr double kMinute = 60;
  return std::ceil((std::max(predicted_s * margin, longest_s) + kStartUp_s) / kMinute) * kMinute;
}

Band measured_time(double seconds) {
  // Relative half-width of the band of measured steps, see docs/prediction-model.md, section Bands.
  constexpr double kRepeats = 0.06;
  return {seconds, seconds / (1 + kRepeats), seconds * (1 + kRepeats)};
}

std::optional<double> next_ratio_bound(std::vector<double> ratios, double quantile) {
  // Rounding may leave the product slightly above a whole number. The subtracted tolerance keeps
  // std::ceil from adding 1.
  const auto rank =
      static_cast<std::size_t>(std::ceil(static_cast<double>(ratios.size() + 1) * quantile - 1e-9));
  if (rank < 1 || rank > ratios.size()) return std::nullopt;
  const auto place = ratios.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(ratios.begin(), place, ratios.end());
  return *place;
}

WalltimeRequest request_walltime(double predicted_s, const std::vector<double>& ratios,
                                 double margin, double quantile) {
  WalltimeRequest request{.factor = margin};
  if (const auto bound = next_ratio_bound(ratios, quantile)) {
    request.factor = *bound;
    request.learnt = true;
  } else if (!ratios.empty()) {
    request.factor = std::max(margin, *std::max_element(ratios.begin(), ratios.end()));
  }
  request.seconds = walltime_s(predicted_s, request.factor);
  return request;
}

}  // namespace dlscale::predict
