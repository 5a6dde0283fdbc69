// SPDX-License-Identifier: Apache-2.0
// Generates noisy times whose logarithms have a known median of 0.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "analysis/metrics/statistics/summary.hpp"
#include "tests/analysis/metrics/statistics/nef_times.hpp"

namespace dlscale::test {

class Noise {
 public:
  enum class Shape {
    LogNormal,  ///< standard deviation of 10 %
    Outliers,   ///< log-normal; each tenth time is 2 to about 4 times as long
    Nef,        ///< measured times divided by the median of their point
  };

  Noise(Shape shape, std::uint64_t seed) : shape_(shape), engine_(seed) {
    for (const NefPoint& point : nef_points()) {
      const double center = std::log(analysis::median(point.times_s));
      for (const double time : point.times_s) pool_.push_back(std::log(time) - center);
    }
    std::vector<double> many(shape == Shape::Outliers ? 200001 : 0);
    for (double& value : many) value = next();
    center_ = many.empty() ? 0 : analysis::median(many);
    if (shape == Shape::Nef) center_ = analysis::median(pool_);
  }

  /// Returns `n` times with true median `median_s`. `scale` multiplies the spread of the times.
  std::vector<double> times(std::size_t n, double median_s = 1, double scale = 1) {
    std::vector<double> drawn(n);
    for (double& time : drawn) time = median_s * std::exp(scale * (next() - center_));
    return drawn;
  }

 private:
  double next() {
    if (shape_ == Shape::Nef) return pool_[engine_() % pool_.size()];
    const double body = 0.1 * normal_(engine_);
    if (shape_ == Shape::LogNormal || engine_() % 10 != 0) return body;
    return body + std::log(2.0) + 0.5 * std::abs(normal_(engine_));
  }

  Shape shape_;
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
  std::vector<double> pool_;
  double center_ = 0;
};

}  // namespace dlscale::test
