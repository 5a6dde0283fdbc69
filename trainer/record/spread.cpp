// SPDX-License-Identifier: Apache-2.0
#include "trainer/record/spread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <type_traits>

namespace dlscale::trainer {
namespace {

static_assert(std::is_trivially_copyable_v<RankWindow>);
static_assert(sizeof(RankWindow) % sizeof(double) == 0);

Span doubles(RankWindow* windows, std::size_t count) {
  return {windows, static_cast<std::int64_t>(count * sizeof(RankWindow) / sizeof(double)),
          ElementType::float64};
}

double quantile(const std::vector<double>& sorted, double q) {
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

}  // namespace

std::vector<RankWindow> gather(const RankWindow& mine, CollectiveQueue& queue) {
  RankWindow sent = mine;
  std::vector<RankWindow> all(static_cast<std::size_t>(queue.size()));
  queue.all_gather(doubles(&sent, 1), doubles(all.data(), all.size()))->wait();
  return all;
}

contract::Spread spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {.mean = sum / static_cast<double>(values.size()),
          .p50 = quantile(values, 0.5),
          .p90 = quantile(values, 0.9),
          .max = values.back()};
}

double rounded(double value) {
  return std::stod(fmt::format("{:.5g}", value));
}

}  // namespace dlscale::trainer
