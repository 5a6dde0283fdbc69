// SPDX-License-Identifier: Apache-2.0
#include "predict/walltime_request.hpp"

#include <algorithm>
#include <cmath>

#include "predict/walltime.hpp"

namespace dlscale::predict {

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

}  // namespace dlscale::predict
