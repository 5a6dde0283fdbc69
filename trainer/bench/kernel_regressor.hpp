// SPDX-License-Identifier: Apache-2.0
// Small neural networks that predict kernel times from sizes, designed like the networks of
// Barrachina et al.
//
// A network has five layers of 50 units with ReLU. Its inputs and outputs are normalised logarithms
// of sizes and times. Adam minimises the mean squared error. 80 % of the measured sizes are used
// for training, and the other 20 % are held out for the final test. Of the sizes for training, 20 %
// serve for validation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contract/records/calibration.hpp"
#include "trainer/bench/kernel_sizes.hpp"

namespace dlscale::trainer {

struct Teaching {
  double learning_rate = 1e-3;
  double slower = 0.1;    ///< factor that reduces the learning rate after `flat_to_slow` epochs
  int flat_to_slow = 15;  ///< number of epochs without a decrease of the validation error
  int flat_to_stop = 20;
  int most_epochs = 2000;
  int batch = 32;          ///< number of sizes per optimizer step, not specified in the paper
  std::uint64_t seed = 1;  ///< seed for the data split, the initial weights and the training order
};

/// Minimum number of measured sizes that are needed to train and test a model.
inline constexpr std::size_t kFewestSizes = 25;

/// Trains a model and returns it in the state with the smallest validation error. The result
/// includes the errors of the model on the held-out fifth of the sizes. `times` must belong to one
/// kernel and one precision and contain at least kFewestSizes entries. The size of each entry must
/// contain all keys in `inputs`. Equal arguments give equal results.
contract::KernelModel teach_kernel(const std::vector<contract::KernelTime>& times,
                                   const std::vector<std::string>& inputs,
                                   const Teaching& teaching);

/// Returns the seconds that `model` predicts for each size. LibTorch computes the predictions.
std::vector<double> ask_kernel_model(const contract::KernelModel& model,
                                     const std::vector<KernelSize>& sizes);

}  // namespace dlscale::trainer
