// SPDX-License-Identifier: Apache-2.0
// One parameter whose gradient ddp compresses, looked at from within.
#pragma once

#include <cstdint>
#include <string>

#include "trainer/comm/communicator.hpp"

namespace dlscale::test {

struct PowerSgdSeen {
  double lost = 0;         ///< largest element of the error after the last step
  double unaccounted = 0;  ///< means + mean error - what ranks gave: largest element
  double from_mean = 0;    ///< largest difference of the last mean from the exact one
  std::int64_t states = 0;
};

/// **Collective.** `steps` steps in each of which rank r's gradient is the same random 24 x 16
/// matrix of this rank's, of rank `rank_of_gradient`, compressed to matrices of rank `rank`.
PowerSgdSeen look_at_powersgd(int steps, int rank, int rank_of_gradient,
                              trainer::Communicator& communicator);

/// **Collective.** After one step in 16 bits: the largest error of a mean's element, as a share of
/// the mean of what ranks gave in magnitude.
double error_in_16_bits(const std::string& compression, trainer::Communicator& communicator);

}  // namespace dlscale::test
