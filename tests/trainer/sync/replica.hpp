// SPDX-License-Identifier: Apache-2.0
// A small network in double precision that one rank or several ranks train.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "contract/run_spec/run_spec.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/sync/gradient_sync.hpp"

namespace dlscale::test {

/// Training of linear layers with tanh between them, with mean squared error and SGD with momentum.
struct Training {
  std::vector<std::int64_t> widths{12, 16, 16, 5};
  bool bias = true;
  bool unused_parameter = false;  ///< whether to add a parameter that the loss does not depend on
  int steps = 6;
  double weight_decay = 0;
  std::int64_t batch_per_rank = 4;
  contract::FrameworkOptions options;
  std::function<void(int step)> before_step = [](int) {};
  /// Callback in each backward pass when all gradients except those of the first layer are ready.
  std::function<void(int step)> late_in_backward = [](int) {};
  /// Callback after the ranks have agreed on gradients, with the number of distinct memory blocks
  /// that hold them.
  std::function<void(std::size_t memories)> after_backward = [](std::size_t) {};
  /// Callback after each step, with the value of exposed_comm_s() of the gradient synchronisation.
  std::function<void(int step, double exposed_s)> after_step = [](int, double) {};
};

/// Returns all parameters after one rank has trained on the concatenated batches of `ranks` ranks.
std::vector<double> train_alone(const Training& training, int ranks);

/// **Collective.** Returns all parameters of this rank after training on its own batches. Ranks
/// create different parameters and then receive the parameters of rank 0.
std::vector<double> train_replica(const Training& training, const trainer::SyncEntry& entry,
                                  trainer::Communicator& communicator);

}  // namespace dlscale::test
