// SPDX-License-Identifier: Apache-2.0
// Small networks that learn how long kernels take, as Barrachina et al. made them: five layers of
// 50 with ReLU, sizes and times as normalised logarithms, Adam on the mean squared error, 80 % of
// the sizes to learn from, and of those again 20 % to watch it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contract/records/calibration.hpp"
#include "trainer/bench/kernel_sizes.hpp"

namespace dlscale::trainer {

struct Teaching {
  double learning_rate = 1e-3;
  double slower = 0.1;    ///< times the learning rate, after `flat_to_slow` epochs
  int flat_to_slow = 15;  ///< without a smaller error of the sizes watched
  int flat_to_stop = 20;
  int most_epochs = 2000;
  int batch = 32;          ///< sizes of a step; the paper does not say
  std::uint64_t seed = 1;  ///< of the split, the first weights and the order
};

/// Fewer measured sizes teach nothing that could be held against others.
inline constexpr std::size_t kFewestSizes = 25;

/// The model with the smallest error of the sizes watched, and its errors on the fifth held out.
/// `times`: of one kernel and precision, at least kFewestSizes; each has all of `inputs`. The same
/// on every call.
contract::KernelModel teach_kernel(const std::vector<contract::KernelTime>& times,
                                   const std::vector<std::string>& inputs,
                                   const Teaching& teaching);

/// Seconds that the model says for these sizes, computed by LibTorch.
std::vector<double> ask_kernel_model(const contract::KernelModel& model,
                                     const std::vector<KernelSize>& sizes);

}  // namespace dlscale::trainer
