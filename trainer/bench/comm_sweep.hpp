// SPDX-License-Identifier: Apache-2.0
// Measurement of the duration of collectives over a range of message sizes. The bandwidths are
// defined like in nccl-tests.
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
  double factor = 2;     ///< ratio of each size to the previous size, above 1
  double seconds = 0.5;  ///< total duration of the measured calls of each size, in seconds
  int iterations = 0;  ///< number of measured calls, 0 for as many (5 to 1000) as fit in `seconds`
  int warm_up = 5;     ///< number of unmeasured calls before the measured calls of each size
  /// Total bytes of the arrays that successive calls use in turn. In the same way, a training step
  /// communicates different gradients one after another. With 0, all calls use a single array, like
  /// in nccl-tests. A single array that fits in a cache stays in the cache, which makes calls
  /// faster.
  std::int64_t rotated_bytes = 0;
};

/// Returns the names of the collectives and number formats that can be measured.
std::vector<std::string> measured_collectives();
std::vector<std::string> measured_precisions();

/// Returns the factor that converts the algorithm bandwidth to the bus bandwidth. The algorithm
/// bandwidth is the size of the whole array divided by the duration of the call, in bytes / s. The
/// bus bandwidth is the bandwidth on the links and can be compared between different numbers of
/// ranks n. The factors are 2(n-1)/n for all_reduce, (n-1)/n for reduce_scatter and all_gather, and
/// 1 for broadcast and reduce (nccl-tests, PERFORMANCE.md).
double bus_factor(const std::string& collective, int ranks);

/// Returns the number of elements of the whole array for each size to measure. For reduce_scatter
/// and all_gather, which divide the array into equal parts, the numbers are multiples of the number
/// of ranks. Each number occurs only once.
std::vector<std::int64_t> sweep_counts(const CommSweep& sweep, const std::string& collective,
                                       int ranks);

/// Callback that is called with each measurement, on every rank. `size` is the index of the
/// measured size, and `sizes` is the number of sizes.
using OnCommTime = std::function<void(const contract::CommTime& time, int size, int sizes)>;

/// **Collective.** Measures each size in three steps: one call whose result is checked element by
/// element, then `warm_up` calls, then the measured calls, each after a barrier. The duration of a
/// call is its duration on the slowest rank. Fills in the fields of a measurement that concern the
/// collective, algorithm, ranks, precision, bytes, times, bandwidths and the number of wrong
/// elements.
void sweep_collectives(const CommSweep& sweep, Communicator& communicator, Device& device,
                       const base::Clock& clock, const OnCommTime& found);

}  // namespace dlscale::trainer
