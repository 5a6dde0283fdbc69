// SPDX-License-Identifier: Apache-2.0
// Measured times of a published study: DenseNet121 on 2 and 3 GPUs, ten runs per point, including
// outliers. Each value is the loading + compute time [s] of the slowest rank in one of the runs 1
// to 10, rounded to 0.1 ms, from gpu/gpu_experiments/bs{B}_gpus{G} of github.com/yisola2/Parallel
// at c61403a (MIT).
#pragma once

#include <vector>

namespace dlscale::test {

struct NefPoint {
  int batch;  ///< samples in a batch of all GPUs together
  int gpus;
  std::vector<double> times_s;
};

inline const std::vector<NefPoint>& nef_points() {
  static const std::vector<NefPoint> points{
      {16, 2, {3.6242, 1.0196, 0.6962, 0.6936, 0.6667, 0.7795, 0.6315, 0.6703, 0.7080, 0.6120}},
      {16, 3, {2.2955, 0.5992, 2.5741, 0.6521, 0.5878, 0.6182, 4.2993, 0.6527, 0.6165, 0.8402}},
      {32, 2, {0.8137, 2.3287, 0.8936, 0.8150, 0.9136, 0.7566, 0.7978, 3.1750, 1.4573, 0.8249}},
      {32, 3, {0.8828, 1.0231, 0.6746, 0.9300, 1.1587, 0.7130, 0.7000, 1.0791, 0.7411, 0.7160}},
      {64, 2, {3.7159, 2.8844, 1.6051, 1.2071, 1.3355, 1.2436, 1.2065, 1.1734, 1.4099, 1.1997}},
      {64, 3, {1.1158, 0.8641, 0.9053, 0.9079, 0.9484, 0.9128, 0.8956, 1.0912, 1.5987, 1.0923}},
      {128, 2, {2.0594, 2.3302, 1.7106, 1.9848, 1.8077, 1.9554, 2.7821, 1.7512, 1.9376, 5.3816}},
      {128, 3, {1.4478, 1.3601, 1.4899, 1.4792, 2.2686, 1.8776, 1.9482, 1.3586, 1.7268, 1.7407}}};
  return points;
}

inline const std::vector<double>& nef_times(int batch, int gpus) {
  for (const NefPoint& point : nef_points()) {
    if (point.batch == batch && point.gpus == gpus) return point.times_s;
  }
  return nef_points().at(0).times_s;
}

}  // namespace dlscale::test
