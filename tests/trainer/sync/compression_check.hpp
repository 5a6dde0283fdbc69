// SPDX-License-Identifier: Apache-2.0
// Checks of one parameter whose gradient ddp compresses.
#pragma once

#include <cstdint>
#include <string>

#include "trainer/comm/communicator.hpp"

namespace dlscale::test {

struct PowerSgdSeen {
  double lost = 0;         ///< largest element of the error after the last step
  double unaccounted = 0;  ///< largest element of sum of means + mean error - sum of gradients
  double from_mean = 0;    ///< largest difference between the last mean and the exact mean
  std::int64_t states = 0;
};

/// **Collective.** Runs `steps` steps. In every step, the gradient of a rank is the same random 24
/// x 16 matrix of rank `rank_of_gradient`. ddp compresses the gradients to matrices of rank `rank`.
PowerSgdSeen look_at_powersgd(int steps, int rank, int rank_of_gradient,
                              trainer::Communicator& communicator);

/// **Collective.** Returns the largest error of an element after one step in 16 bits, as a share of
/// the mean of the gradients' magnitudes.
double error_in_16_bits(const std::string& compression, trainer::Communicator& communicator);

}  // namespace dlscale::test
