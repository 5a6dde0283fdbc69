// SPDX-License-Identifier: Apache-2.0
#include "predict/compute_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include "predict/kernel_model.hpp"
#include "predict/slowest_rank.hpp"

namespace dlscale::predict {
namespace {

constexpr double kSingular = 1e-12;

/// Sums of the normal equations for a least-squares fit of relative errors. Each equation is
/// divided by its measured value, so that its right side is 1 minus the known share.
struct Normal {
  double aa = 0, ab = 0, bb = 0, a1 = 0, b1 = 0;
  double determinant() const { return aa * bb - ab * ab; }
  bool parallel() const { return determinant() <= kSingular * aa * bb; }
};

Normal normal_of(const std::vector<TermPoint>& points) {
  Normal n;
  for (const TermPoint& point : points) {
    const double a = point.first / point.measured, b = point.second / point.measured;
    const double rest = 1 - point.known / point.measured;
    n.aa += a * a;
    n.ab += a * b;
    n.bb += b * b;
    n.a1 += a * rest;
    n.b1 += b * rest;
  }
  return n;
}

contract::FittedValue with_error(double value, double error) {
  return {value, std::max(0.0, value - error), value + error};
}

}  // namespace

double student_95(int degrees) {
  constexpr std::array<double, 30> kTable{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                          2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                          2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                          2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
  if (degrees < 1) return 0;
  if (degrees <= static_cast<int>(kTable.size())) {
    return kTable[static_cast<std::size_t>(degrees - 1)];
  }
  return 1.96 + 2.4 / degrees;  // approximation beyond the table, with an error below 0.001
}

TermFit fit_terms(const std::vector<TermPoint>& points) {
  const Normal n = normal_of(points);
  TermFit fit{.points = static_cast<int>(points.size())};
  double first = 0, second = 0;
  bool both = !n.parallel();
  if (both) {
    first = (n.a1 * n.bb - n.b1 * n.ab) / n.determinant();
    second = (n.b1 * n.aa - n.a1 * n.ab) / n.determinant();
    both = first >= 0 && second >= 0;
  }
  // If one coefficient would be negative, the best feasible fit holds this coefficient at 0 and
  // fits the other coefficient alone. If the two terms are proportional, the points cannot separate
  // them. The fit then keeps the second coefficient, because a time per byte predicts more than a
  // latency.
  const bool first_alone = !both && (n.bb <= 0 || (!n.parallel() && second < 0));
  if (!both) {
    first = first_alone ? std::max(0.0, n.a1 / n.aa) : 0;
    second = first_alone ? 0 : std::max(0.0, n.b1 / n.bb);
  }
  for (const TermPoint& point : points) {
    const double fitted = point.known + first * point.first + second * point.second;
    fit.squares += std::pow(fitted / point.measured - 1, 2);
  }
  fit.relative_error = std::sqrt(fit.squares / fit.points);
  const int degrees = fit.points - (both ? 2 : 1);
  const bool sure = fit.points >= 3;
  const double variance = sure ? fit.squares / degrees : 0;
  const double t = sure ? student_95(degrees) : 0;
  const auto error = [&](double inverse) { return t * std::sqrt(variance * inverse); };
  if (both) {
    fit.first = with_error(first, error(n.bb / n.determinant()));
    fit.second = with_error(second, error(n.aa / n.determinant()));
  } else if (first_alone) {
    fit.first = with_error(first, error(1 / n.aa));
  } else {
    fit.second = with_error(second, error(1 / n.bb));
  }
  return fit;
}

double median(std::vector<double> values) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), place, values.end());
  if (values.size() % 2 == 1) return *place;
  return (*place + *std::max_element(values.begin(), place)) / 2;
}

namespace {

// Ratio from which a batch counts as far from the measured batches: the ratio of the batch to the
// largest measured batch, or of the smallest measured batch to the batch.
constexpr double kFarthest = 2;
// Minimum relative error. A line through few points fits them too well, so the error of the
// fit is too small.
constexpr double kLeastDeviation = 0.03;
// Minimum relative error at a batch outside the measured range.
constexpr double kOtherBatch = 0.1;
// Minimum relative error at a batch far from the measured range.
constexpr double kFar = 0.25;
constexpr double kNormal95 = 1.96;

void stretch(std::vector<LayerTime>& layers, PassTime LayerTime::*pass, Seconds now,
             Seconds wanted) {
  if (now.value <= 0) return;
  for (LayerTime& layer : layers) (layer.*pass).time = (layer.*pass).time * (wanted / now);
}

/// Returns the relative error of a fit: the root mean square of fitted / measured - 1.
double fit_error(const BatchFit& fit, const std::vector<double>& batches,
                 const std::vector<double>& seconds) {
  double squares = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    squares += std::pow(fit.at(batches[i]).value / seconds[i] - 1, 2);
  }
  return std::sqrt(squares / static_cast<double>(batches.size()));
}

}  // namespace

BatchFit fit_batches(const std::vector<double>& batches, const std::vector<double>& seconds) {
  double aa = 0, ab = 0, bb = 0, a1 = 0, b1 = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const double a = 1 / seconds[i], b = batches[i] / seconds[i];
    aa += a * a;
    ab += a * b;
    bb += b * b;
    a1 += a;
    b1 += b;
  }
  const double determinant = aa * bb - ab * ab;
  BatchFit fit{{}, {b1 / bb}};
  if (determinant > 1e-12 * aa * bb) {
    const double start = (a1 * bb - b1 * ab) / determinant;
    const double slope = (b1 * aa - a1 * ab) / determinant;
    if (start >= 0 && slope >= 0) fit = {{start}, {slope}};
    if (slope < 0) fit = {{a1 / aa}, {}};
  }
  fit.relative_error = fit_error(fit, batches, seconds);
  return fit;
}

std::vector<contract::ComputeTime> times_of(const std::vector<contract::ComputeTime>& all,
                                            const contract::ModelCard& card,
                                            const std::string& precision) {
  std::vector<contract::ComputeTime> own;
  std::copy_if(all.begin(), all.end(), std::back_inserter(own), [&](const auto& time) {
    return time.model == card.model && time.input == card.input && time.options == card.options &&
           time.precision == precision;
  });
  return own;
}

std::vector<contract::ComputeTime> times_as_in(const std::vector<contract::ComputeTime>& times,
                                               const std::string& framework) {
  std::set<int> measured_as;
  for (const contract::ComputeTime& time : times) {
    if (time.framework == framework && time.ranks_on_node > 1)
      measured_as.insert(time.ranks_on_node);
  }
  std::vector<contract::ComputeTime> own;
  std::copy_if(times.begin(), times.end(), std::back_inserter(own), [&](const auto& time) {
    return time.framework == framework || !measured_as.contains(time.ranks_on_node);
  });
  return own;
}

double Sharing::at(int ranks) const {
  if (factors_.empty()) return 1;
  const auto above = factors_.lower_bound(ranks);
  if (above != factors_.end() && above->first == ranks) return above->second;
  if (above == factors_.begin()) return above->second;
  if (factors_.size() == 1) return factors_.begin()->second;
  const bool beyond = above == factors_.end();
  const auto high = beyond ? std::prev(above) : above;
  const auto low = std::prev(high);
  double slope = std::log(high->second / low->second) /
                 std::log(static_cast<double>(high->first) / low->first);
  if (beyond) slope = std::clamp(slope, 0.0, 1.0);
  const auto& from = beyond ? *high : *low;
  return from.second * std::pow(static_cast<double>(ranks) / from.first, slope);
}

namespace {

using TimeOf = std::function<double(const contract::ComputeTime&)>;

int ranks_of(const contract::ComputeTime& time) {
  return std::max(1, time.ranks_on_node);
}

/// Fit of a measured pass: a line over the batch size, measured with the fewest ranks on a node,
/// and the factors by which the pass is slower with more ranks.
struct PassFit {
  BatchFit line;
  Sharing sharing{{}};
  Seconds at(double batch, int ranks) const { return line.at(batch) * sharing.at(ranks); }
};

/// Fits a line through the median time of each batch size. A fit of relative errors to single runs
/// would draw the line towards the fastest runs. The relative error of the line is still the error
/// of single runs.
BatchFit line_of(const std::vector<double>& batches, const std::vector<double>& seconds) {
  std::map<double, std::vector<double>> runs;
  for (std::size_t i = 0; i < batches.size(); ++i) runs[batches[i]].push_back(seconds[i]);
  std::vector<double> distinct, middles;
  for (const auto& [batch, values] : runs) {
    distinct.push_back(batch);
    middles.push_back(median(values));
  }
  BatchFit fit = fit_batches(distinct, middles);
  fit.relative_error = fit_error(fit, batches, seconds);
  return fit;
}

int fewest_ranks(const std::vector<contract::ComputeTime>& measured) {
  int fewest = ranks_of(measured.front());
  for (const contract::ComputeTime& time : measured) fewest = std::min(fewest, ranks_of(time));
  return fewest;
}

PassFit fit_pass(const std::vector<contract::ComputeTime>& measured, const TimeOf& seconds) {
  constexpr double kLeast = 1e-12;
  const int fewest = fewest_ranks(measured);
  std::vector<double> batches, times;
  for (const contract::ComputeTime& time : measured) {
    if (ranks_of(time) != fewest) continue;
    batches.push_back(static_cast<double>(time.batch));
    times.push_back(std::max(seconds(time), kLeast));
  }
  PassFit fit{line_of(batches, times)};
  std::map<int, std::vector<double>> ratios;
  for (const contract::ComputeTime& time : measured) {
    const Seconds alone = fit.line.at(static_cast<double>(time.batch));
    if (ranks_of(time) != fewest && alone.value > 0) {
      ratios[ranks_of(time)].push_back(std::max(seconds(time), kLeast) / alone.value);
    }
  }
  std::map<int, double> factors{{fewest, 1}};
  for (const auto& [ranks, values] : ratios) factors[ranks] = median(values);
  fit.sharing = Sharing(std::move(factors));
  return fit;
}

/// Returns the time of the optimizer for `ranks` ranks on a node. The time does not depend on the
/// batch. The median time that was measured with the fewest ranks is multiplied by the slow-down
/// for `ranks`.
Seconds optimizer_at(const std::vector<contract::ComputeTime>& measured, int ranks) {
  std::map<int, std::vector<double>> times;
  for (const contract::ComputeTime& time : measured) {
    times[ranks_of(time)].push_back(time.optimizer_s);
  }
  const double alone = median(times.begin()->second);
  if (alone <= 0) return {};
  std::map<int, double> factors;
  for (const auto& [count, values] : times) factors[count] = median(values) / alone;
  return {alone * Sharing(std::move(factors)).at(ranks)};
}

/// Returns the times of kernel models if these models cover most of the step. Otherwise returns the
/// times of the roofline.
ComputeEstimate unmeasured(const contract::ModelCard& card, double batch,
                           const ComputeBasis& basis) {
  if (auto times = kernel_times(card, batch, basis)) return {std::move(*times), kLearnedSure};
  return {roofline(card, basis.rates, batch, basis.optimizer_states), basis.roofline_sure};
}

}  // namespace

std::optional<ComputeTimes> kernel_times(const contract::ModelCard& card, double batch,
                                         const ComputeBasis& basis) {
  constexpr double kMost = 0.9;
  if (basis.kernels.empty()) return std::nullopt;
  LearnedTimes learned =
      learned_times(card, basis.kernels, batch, basis.optimizer_states, basis.rates);
  if (learned.learned < kMost) return std::nullopt;
  return std::move(learned.times);
}

ComputeEstimate estimate_compute(const contract::ModelCard& card, double batch,
                                 const ComputeBasis& basis) {
  ComputeEstimate estimate = unmeasured(card, batch, basis);
  if (basis.measured.empty()) return estimate;
  const PassFit ahead = fit_pass(basis.measured, [](const auto& time) { return time.forward_s; });
  const PassFit back = fit_pass(basis.measured, [](const auto& time) { return time.backward_s; });
  const int ranks = basis.ranks_on_node;
  ComputeTimes& times = estimate.times;
  stretch(times.layers, &LayerTime::forward, times.forward(), ahead.at(batch, ranks));
  stretch(times.layers, &LayerTime::backward, times.backward(), back.at(batch, ranks));
  times.optimizer = optimizer_at(basis.measured, ranks);
  estimate.deviation = deviation_at(basis.measured, batch, ranks, times.total());
  std::vector<double> batches;
  for (const contract::ComputeTime& time : basis.measured) {
    batches.push_back(static_cast<double>(time.batch));
  }
  const auto [least, most] = std::minmax_element(batches.begin(), batches.end());
  estimate.measured = static_cast<int>(std::set<double>(batches.begin(), batches.end()).size());
  estimate.extrapolated = batch > kFarthest * *most || batch * kFarthest < *least;
  double error =
      kNormal95 * std::max({kLeastDeviation, ahead.line.relative_error, back.line.relative_error});
  if (batch < *least || batch > *most) error = std::max(error, kOtherBatch);
  if (estimate.extrapolated) error = std::max(error, kFar);
  estimate.sure = {1 / (1 + error), 1 + error};
  return estimate;
}

}  // namespace dlscale::predict
