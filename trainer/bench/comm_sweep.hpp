// SPDX-License-Identifier: Apache-2.0
// Times of collectives over message sizes, as nccl-tests counts them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "contract/records/bench_record.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/device/device.hpp"

namespace dlscale::trainer {

struct CommSweep {
  std::vector<std::string> collectives{"all_reduce"};
  std::string precision = "fp32";
  std::int64_t least_bytes = 4;
  std::int64_t most_bytes = std::int64_t{256} << 20;
  double factor = 2;     ///< from one size to the next; above 1
  double seconds = 0.5;  ///< that the measured calls of a size take together
  int iterations = 0;    ///< measured calls; 0: as many as `seconds` has room for, 5 to 1000
  int warm_up = 5;       ///< calls before, of each size
  /// Calls take turns between arrays of so many bytes together, as a training step does between
  /// gradients; 0: one array, as nccl-tests, which stays in the caches while it fits.
  std::int64_t rotated_bytes = 0;
};

/// Names of the collectives and number formats that can be measured.
std::vector<std::string> measured_collectives();
std::vector<std::string> measured_precisions();

/// bytes / s is what the program sees; times this it is what links carry, whatever the number of
/// ranks: all_reduce 2(n-1)/n, reduce_scatter and all_gather (n-1)/n, broadcast 1 (nccl-tests,
/// PERFORMANCE.md).
double bus_factor(const std::string& collective, int ranks);

/// Elements of the whole array at each size. Shares of reduce_scatter and all_gather are equal, so
/// that theirs are multiples of the ranks; sizes that become the same count once.
std::vector<std::int64_t> sweep_counts(const CommSweep& sweep, const std::string& collective,
                                       int ranks);

/// Called on every rank; `size` is the number of the size among `sizes`.
using OnCommTime = std::function<void(const contract::CommTime& time, int size, int sizes)>;

/// **Collective.** For each size: one call whose result is looked at element by element, `warm_up`
/// calls, then the measured ones, each behind a barrier. A call takes as long as on the slowest
/// rank. Fills in what the sweep knows: collective, algorithm, ranks, precision, bytes, times,
/// bandwidths, wrong.
void sweep_collectives(const CommSweep& sweep, Communicator& communicator, Device& device,
                       const base::Clock& clock, const OnCommTime& found);

}  // namespace dlscale::trainer
