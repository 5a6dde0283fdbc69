// SPDX-License-Identifier: Apache-2.0
#include "predict/walltime_request.hpp"

#include <algorithm>
#include <cmath>

#include "predict/walltime.hpp"

namespace dlscale::predict {

double pinball_loss(double needed, double asked, double quantile) {
  const double missing = needed - asked;
  return missing > 0 ? quantile * missing : (quantile - 1) * missing;
}

std::optional<double> request_factor(std::vector<double> ratios, double quantile) {
  std::optional<double> best;
  double least = 0;
  std::sort(ratios.begin(), ratios.end());
  for (const double factor : ratios) {
    double loss = 0;
    for (const double ratio : ratios) loss += pinball_loss(ratio, factor, quantile);
    if (best && loss >= least) continue;
    best = factor;
    least = loss;
  }
  return best;
}

std::optional<double> next_ratio_bound(std::vector<double> ratios, double quantile) {
  // The product of whole numbers and a quantile may be a hair above a whole number.
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

Seconds young_interval(Seconds write, Seconds between_failures) {
  return {std::sqrt(2 * write.value * between_failures.value)};
}

Seconds checkpoint_interval(Seconds write, Seconds between_failures) {
  const double part = write / (2 * between_failures);
  if (part >= 1) return between_failures;
  return young_interval(write, between_failures) * (1 + std::sqrt(part) / 3 + part / 9) - write;
}

double checkpoint_loss(Seconds interval, Seconds write, Seconds between_failures) {
  return write / (interval + write) + (interval + write) / (2 * between_failures);
}

}  // namespace dlscale::predict
