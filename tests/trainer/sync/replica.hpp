// SPDX-License-Identifier: Apache-2.0
// A small network in double precision, trained by one rank or by several.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "contract/run_spec/run_spec.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/sync/gradient_sync.hpp"

namespace dlscale::test {

/// Linear layers with tanh between them, mean squared error, SGD with momentum.
struct Training {
  std::vector<std::int64_t> widths{12, 16, 16, 5};
  bool bias = true;
  bool unused_parameter = false;  ///< one parameter that the loss does not depend on
  int steps = 6;
  double weight_decay = 0;
  std::int64_t batch_per_rank = 4;
  contract::FrameworkOptions options;
  std::function<void(int step)> before_step = [](int) {};
  /// Called in each backward when all gradients but the first layer's are ready.
  std::function<void(int step)> late_in_backward = [](int) {};
  /// Called when gradients have been agreed on, with the number of memories in which they lie.
  std::function<void(std::size_t memories)> after_backward = [](std::size_t) {};
  /// Called after each step with the sync's exposed_comm_s().
  std::function<void(int step, double exposed_s)> after_step = [](int, double) {};
};

/// All parameters after training on the batches of `ranks` ranks put together.
std::vector<double> train_alone(const Training& training, int ranks);

/// **Collective.** All parameters of this rank after training on its own batches. Ranks begin with
/// different parameters and take over rank 0's.
std::vector<double> train_replica(const Training& training, const trainer::SyncEntry& entry,
                                  trainer::Communicator& communicator);

}  // namespace dlscale::test
