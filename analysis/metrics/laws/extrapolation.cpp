// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/laws/extrapolation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "analysis/metrics/laws/fit.hpp"
#include "analysis/metrics/statistics/interval.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "base/error.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::size_t kRefits = 400;
// Seed of the resampling. It is fixed so that the same times always give the same intervals.
constexpr std::uint64_t kRefitSeed = 4;
constexpr double kTail = 0.025;
/// Smallest relative error with which the leave-one-out errors of other laws are compared. This
/// value replaces the error of the best law if that error is smaller. Measurements are not accurate
/// to 0.01 %, so a law with a smaller error must not rule out the other laws.
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

/// Returns `count` random indices into a list of `size` entries. The same seed gives the same
/// indices.
std::vector<std::size_t> draws(std::uint64_t seed, std::size_t count, std::size_t size) {
  std::mt19937_64 engine(seed);
  std::vector<std::size_t> places(count);
  for (std::size_t& place : places) place = engine() % size;
  return places;
}

/// Returns the weighted quantile of (value, weight) pairs, which must ascend by value: the smallest
/// value for which the weights up to and including this value reach `share` of the total weight.
double weighted_quantile(const std::vector<std::pair<double, double>>& sorted, double share) {
  double total = 0;
  for (const auto& [value, weight] : sorted) total += weight;
  double sum = 0;
  for (const auto& [value, weight] : sorted) {
    sum += weight;
    if (sum >= share * total) return value;
  }
  return sorted.back().first;
}

/// Returns the 95 % interval of each coefficient. `refits` holds `terms` coefficients of each
/// refit, one refit after the other.
std::vector<Interval> intervals_of(const std::vector<double>& refits, std::size_t terms) {
  if (refits.empty()) return {};
  std::vector<Interval> intervals;
  for (std::size_t term = 0; term < terms; ++term) {
    std::vector<double> values;
    for (std::size_t at = term; at < refits.size(); at += terms) values.push_back(refits[at]);
    intervals.push_back(
        {Interval::Kind::Confidence95, quantile(values, kTail), quantile(values, 1 - kTail)});
  }
  return intervals;
}

}  // namespace

LawAverage::LawAverage(LawData data) : data_(std::move(data)) {
  require_points(data_);
  const std::vector<std::size_t> drawn =
      draws(kRefitSeed, kRefits * data_.points.size(), data_.points.size());
  for (const ScalingLaw* law : scaling_laws()) {
    std::optional<Fit> one = fit(*law, data_);
    if (!one || !one->leave_one_out) continue;
    refits_.push_back(refit(*one, drawn));
    std::vector<Interval> intervals =
        intervals_of(refits_.back().coefficients, one->coefficients.size());
    fits_.push_back({std::move(*one), 0, std::move(intervals)});
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

LawAverage::Refits LawAverage::refit(const Fit& original,
                                     const std::vector<std::size_t>& drawn) const {
  Refits result;
  const auto n = static_cast<double>(data_.points.size());
  const auto k = static_cast<double>(original.coefficients.size());
  // This exponent corrects two effects. The residuals are too small, because the fit used k of n
  // degrees of freedom. The quantiles of few residuals do not reach far enough into the tail.
  const double enlarged =
      std::sqrt(n / (n - k)) * student_t_quantile(1 - kTail, n - k) / normal_quantile(1 - kTail);
  const LawTerms terms(*original.law, data_);
  std::vector<double> inverse_expected;  // inverses of the fitted times
  std::vector<double> inverse_errors;
  for (std::size_t i = 0; i < data_.points.size(); ++i) {
    inverse_expected.push_back(1 / terms.time(i, original.coefficients.data()));
    result.errors.push_back(std::pow(data_.points[i].time * inverse_expected[i], enlarged));
    inverse_errors.push_back(1 / result.errors[i]);
  }
  if (original.residual <= 0) return result;
  result.coefficients.reserve(kRefits * terms.size());
  std::vector<double> resampled(inverse_expected.size());
  for (auto error = drawn.begin(); error != drawn.end();) {
    for (std::size_t j = 0; j < resampled.size(); ++j) {
      resampled[j] = inverse_expected[j] * inverse_errors[*error++];
    }
    const std::optional<Coefficients> one = terms.fit(resampled);
    if (!one) continue;
    result.coefficients.insert(result.coefficients.end(), one->data(), one->data() + terms.size());
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

std::vector<double> LawAverage::futures(std::size_t law, double gpus,
                                        const std::vector<std::size_t>& drawn) const {
  const Refits& refits = refits_[law];
  const Fit& original = fits_[law].fit;
  const LawTerms terms(*original.law, data_.work, data_.first_gpus(), gpus);
  if (refits.coefficients.empty()) return {terms.time(0, original.coefficients.data())};
  std::vector<double> times(refits.coefficients.size() / terms.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    times[i] = terms.time(0, &refits.coefficients[i * terms.size()]) * refits.errors[drawn[i]];
  }
  return times;
}

/// Sets the low and high end of `result` so that they enclose the 95 % ranges of all fitted laws,
/// averaged or not.
void LawAverage::span_all(Prediction& result, const std::vector<std::size_t>& drawn) const {
  for (std::size_t i = 0; i < fits_.size(); ++i) {
    const std::vector<double> times = futures(i, result.gpus, drawn);
    const double low = quantile(times, kTail);
    const double high = quantile(times, 1 - kTail);
    result.low = i == 0 ? low : std::min(result.low, low);
    result.high = i == 0 ? high : std::max(result.high, high);
  }
}

Prediction LawAverage::predict(double gpus) const {
  if (!(gpus >= 1)) throw base::RunError("a scaling law predicts times for 1 GPU or more only");
  Prediction result{gpus, 0, 0, 0, gpus > kTrustedReach * data_.last_gpus()};
  for (const WeightedFit& one : fits_) {
    if (one.weight > 0) result.time += one.weight * predicted_time(one.fit, data_, gpus);
  }
  const std::vector<std::size_t> drawn = draws(kRefitSeed + 1, kRefits, data_.points.size());
  if (result.beyond) {
    span_all(result, drawn);
    return result;
  }
  std::vector<std::pair<double, double>> values;
  for (std::size_t i = 0; i < fits_.size(); ++i) {
    if (fits_[i].weight == 0) continue;
    const std::vector<double> times = futures(i, gpus, drawn);
    for (const double time : times) {
      values.emplace_back(time, fits_[i].weight / static_cast<double>(times.size()));
    }
  }
  std::sort(values.begin(), values.end());
  result.low = weighted_quantile(values, kTail);
  result.high = weighted_quantile(values, 1 - kTail);
  return result;
}

}  // namespace dlscale::analysis
