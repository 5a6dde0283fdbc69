// SPDX-License-Identifier: Apache-2.0
#include "analysis/frame.hpp"

#include <catch2/catch.hpp>
#include <cmath>

namespace dlscale::analysis {

TEST_CASE("the epoch time is the median without the first epoch and epochs of unknown time") {
  RunRow run;
  CHECK_FALSE(epoch_time_s(run));
  run.epochs = {{0, std::nan(""), 3}, {1, std::nan(""), 2}};
  CHECK_FALSE(epoch_time_s(run));
  run.epochs = {{0, 90, 3}, {1, std::nan(""), 2}, {2, 10, 1}, {3, 20, 1}};
  CHECK(*epoch_time_s(run) == 15);
}

}  // namespace dlscale::analysis
