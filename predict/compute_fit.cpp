// SPDX-License-Identifier: Apache-2.0
#include "predict/compute_fit.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace dlscale::predict {
namespace {

constexpr double kFarthest = 2;  // times the largest batch measured, or a part of the smallest
constexpr double kLeastDeviation = 0.03;  // a fit of few points is not surer than this
constexpr double kNormal95 = 1.96;

void stretch(std::vector<LayerTime>& layers, PassTime LayerTime::*pass, Seconds now,
             Seconds wanted) {
  if (now.value <= 0) return;
  for (LayerTime& layer : layers) (layer.*pass).time = (layer.*pass).time * (wanted / now);
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
  double squares = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    squares += std::pow(fit.at(batches[i]).value / seconds[i] - 1, 2);
  }
  fit.relative_error = std::sqrt(squares / static_cast<double>(batches.size()));
  return fit;
}

std::vector<contract::ComputeTime> times_of(const std::vector<contract::ComputeTime>& all,
                                            const contract::ModelCard& card) {
  std::vector<contract::ComputeTime> own;
  std::copy_if(all.begin(), all.end(), std::back_inserter(own), [&](const auto& time) {
    return time.model == card.model && time.input == card.input && time.precision == card.precision;
  });
  return own;
}

ComputeEstimate estimate_compute(const contract::ModelCard& card, double batch,
                                 const ComputeBasis& basis) {
  ComputeEstimate estimate{roofline(card, basis.rates, batch, basis.optimizer_states),
                           basis.roofline_sure};
  if (basis.measured.empty()) return estimate;
  std::vector<double> batches, forward, backward, optimizer;
  for (const contract::ComputeTime& time : basis.measured) {
    batches.push_back(static_cast<double>(time.batch));
    forward.push_back(time.forward_s);
    backward.push_back(std::max(time.backward_s, 1e-12));
    optimizer.push_back(time.optimizer_s);
  }
  const BatchFit ahead = fit_batches(batches, forward), back = fit_batches(batches, backward);
  ComputeTimes& times = estimate.times;
  stretch(times.layers, &LayerTime::forward, times.forward(), ahead.at(batch));
  stretch(times.layers, &LayerTime::backward, times.backward(), back.at(batch));
  // The optimizer does not know the batch: the middle of what was measured.
  std::nth_element(optimizer.begin(), optimizer.begin() + optimizer.size() / 2, optimizer.end());
  times.optimizer = {optimizer[optimizer.size() / 2]};
  const auto [least, most] = std::minmax_element(batches.begin(), batches.end());
  const double error =
      kNormal95 * std::max(kLeastDeviation, std::max(ahead.relative_error, back.relative_error));
  estimate.sure = {1 / (1 + error), 1 + error};
  estimate.measured = static_cast<int>(std::set<double>(batches.begin(), batches.end()).size());
  estimate.extrapolated = batch > kFarthest * *most || batch * kFarthest < *least;
  return estimate;
}

}  // namespace dlscale::predict
