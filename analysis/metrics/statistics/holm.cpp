// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/statistics/holm.hpp"

#include <algorithm>
#include <numeric>

namespace dlscale::analysis {

std::vector<double> holm(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return p[i] < p[j]; });
  std::vector<double> adjusted(p.size());
  double largest = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    largest = std::max(largest, static_cast<double>(p.size() - k) * p[order[k]]);
    adjusted[order[k]] = std::min(1.0, largest);
  }
  return adjusted;
}

}  // namespace dlscale::analysis
