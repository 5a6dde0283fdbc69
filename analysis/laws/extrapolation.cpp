// SPDX-License-Identifier: Apache-2.0
#include "analysis/laws/extrapolation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "analysis/statistics/distributions.hpp"
#include "analysis/statistics/summary.hpp"
#include "base/error.hpp"

namespace dlscale::analysis {
namespace {

constexpr int kRefits = 400;
// Fixed, so that the same times always give the same intervals.
constexpr std::uint64_t kSeed = 4;
constexpr double kTail = 0.025;
/// Nobody measures to 0.01 %: smaller errors rule nothing out.
constexpr double kLeastError = 1e-4;

void require_points(const LawData& data) {
  if (data.points.size() < kFewestForLaws) {
    throw base::RunError("a scaling law needs times at 3 GPU counts or more");
  }
  double before = 0;
  for (const LawPoint& point : data.points) {
    if (!(point.gpus >= 1 && point.gpus > before && point.time > 0 && std::isfinite(point.time))) {
      throw base::RunError("a scaling law needs ascending GPU counts and times above 0");
    }
    before = point.gpus;
  }
}

/// The smallest value at which the weights of those up to it reach `share` of all.
double weighted_quantile(std::vector<std::pair<double, double>> values, double share) {
  std::sort(values.begin(), values.end());
  double total = 0;
  for (const auto& [value, weight] : values) total += weight;
  double sum = 0;
  for (const auto& [value, weight] : values) {
    sum += weight;
    if (sum >= share * total) return value;
  }
  return values.back().first;
}

std::vector<Interval> intervals_of(const std::vector<Fit>& refits) {
  if (refits.empty()) return {};
  std::vector<Interval> intervals;
  for (std::size_t i = 0; i < refits.front().coefficients.size(); ++i) {
    std::vector<double> values;
    for (const Fit& one : refits) values.push_back(one.coefficients[i]);
    intervals.push_back(
        {Interval::Kind::Confidence95, quantile(values, kTail), quantile(values, 1 - kTail)});
  }
  return intervals;
}

}  // namespace

LawAverage::LawAverage(LawData data) : data_(std::move(data)) {
  require_points(data_);
  for (const ScalingLaw* law : scaling_laws()) {
    std::optional<Fit> one = fit(*law, data_);
    if (!one || !one->leave_one_out) continue;
    refits_.push_back(refit(*one));
    fits_.push_back({std::move(*one), 0, intervals_of(refits_.back().fits)});
  }
  weigh();
}

void LawAverage::weigh() {
  double least = std::numeric_limits<double>::infinity();
  for (const WeightedFit& one : fits_) {
    if (!form_of(*one.fit.law, data_.work).averaged) continue;
    least = std::min(least, std::max(*one.fit.leave_one_out, kLeastError));
  }
  double total = 0;
  for (WeightedFit& one : fits_) {
    const bool averaged = form_of(*one.fit.law, data_.work).averaged;
    one.weight = averaged && *one.fit.leave_one_out <= kRuledOut * least ? 1 : 0;
    total += one.weight;
  }
  for (WeightedFit& one : fits_) one.weight /= total;
}

LawAverage::Refits LawAverage::refit(const Fit& original) const {
  Refits result;
  const auto n = static_cast<double>(data_.points.size());
  const auto k = static_cast<double>(original.coefficients.size());
  // Fitting took k of n degrees of freedom, and a quantile of few residuals is short of the tail.
  const double enlarged =
      std::sqrt(n / (n - k)) * student_t_quantile(1 - kTail, n - k) / normal_quantile(1 - kTail);
  for (const LawPoint& point : data_.points) {
    const double expected = predicted_time(original, data_, point.gpus);
    result.errors.push_back(enlarged * std::log(point.time / expected));
  }
  if (original.residual <= 0) return result;
  std::mt19937_64 engine(kSeed);
  for (int i = 0; i < kRefits; ++i) {
    LawData resampled = data_;
    for (LawPoint& point : resampled.points) {
      const double error = result.errors[engine() % result.errors.size()];
      point.time = predicted_time(original, data_, point.gpus) * std::exp(error);
    }
    if (auto one = fit_coefficients(*original.law, resampled)) result.fits.push_back(*one);
  }
  return result;
}

const Fit& LawAverage::best() const {
  const WeightedFit* found = nullptr;
  for (const WeightedFit& one : fits_) {
    if (one.weight == 0) continue;
    if (found == nullptr || *one.fit.leave_one_out < *found->fit.leave_one_out) found = &one;
  }
  return found->fit;
}

std::vector<double> LawAverage::futures(std::size_t law, double gpus) const {
  const Refits& refits = refits_[law];
  if (refits.fits.empty()) return {predicted_time(fits_[law].fit, data_, gpus)};
  std::mt19937_64 engine(kSeed + 1);
  std::vector<double> times;
  for (const Fit& one : refits.fits) {
    const double error = refits.errors[engine() % refits.errors.size()];
    times.push_back(predicted_time(one, data_, gpus) * std::exp(error));
  }
  return times;
}

Prediction LawAverage::predict(double gpus) const {
  if (!(gpus >= 1)) throw base::RunError("a scaling law predicts for 1 GPU or more");
  Prediction result{gpus, 0, 0, 0, gpus > kTrustedReach * data_.last_gpus()};
  std::vector<std::pair<double, double>> values;
  for (std::size_t i = 0; i < fits_.size(); ++i) {
    const std::vector<double> times = futures(i, gpus);
    const double weight = fits_[i].weight;
    result.time += weight > 0 ? weight * predicted_time(fits_[i].fit, data_, gpus) : 0;
    if (result.beyond) {
      const double low = quantile(times, kTail);
      const double high = quantile(times, 1 - kTail);
      result.low = i == 0 ? low : std::min(result.low, low);
      result.high = i == 0 ? high : std::max(result.high, high);
    }
    for (const double time : times) {
      values.emplace_back(time, weight / static_cast<double>(times.size()));
    }
  }
  if (result.beyond) return result;
  result.low = weighted_quantile(values, kTail);
  result.high = weighted_quantile(values, 1 - kTail);
  return result;
}

}  // namespace dlscale::analysis
