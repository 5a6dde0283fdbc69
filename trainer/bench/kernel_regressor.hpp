// SPDX-License-Identifier: Apache-2.0
// Small networks that predict kernel times, designed like the networks of Barrachina et al.
//
// A network has five layers of 50 units with ReLU. Its inputs and outputs are normalised logarithms
// of sizes and times. Adam minimises the mean squared error. 80 % of the sizes are used for
// training, and 20 % of those for validation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contract/records/calibration.hpp"
#include "trainer/bench/kernel_sizes.hpp"

namespace dlscale::trainer {

struct Teaching {
  double learning_rate = 1e-3;
  double slower = 0.1;    ///< factor on the learning rate after `flat_to_slow` epochs
  int flat_to_slow = 15;  ///< number of epochs without a smaller validation error
  int flat_to_stop = 20;
  int most_epochs = 2000;
  int batch = 32;          ///< number of sizes per step, which the paper does not specify
  std::uint64_t seed = 1;  ///< seed for the split, the initial weights and the order
};

/// Minimum number of measured sizes. Fewer sizes are too few to train and test a model.
inline constexpr std::size_t kFewestSizes = 25;

/// Returns the model with the smallest validation error, and its errors on the held-out fifth of
/// the sizes. `times` must belong to one kernel and precision, contain at least kFewestSizes
/// entries, and have values for all `inputs`. The result is deterministic.
contract::KernelModel teach_kernel(const std::vector<contract::KernelTime>& times,
                                   const std::vector<std::string>& inputs,
                                   const Teaching& teaching);

/// Returns the seconds that the model predicts for these sizes, computed by LibTorch.
std::vector<double> ask_kernel_model(const contract::KernelModel& model,
                                     const std::vector<KernelSize>& sizes);

}  // namespace dlscale::trainer
