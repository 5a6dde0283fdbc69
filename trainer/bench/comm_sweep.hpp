// SPDX-License-Identifier: Apache-2.0
// Duration of collectives over a range of message sizes, with the bandwidth definitions of
// nccl-tests.
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
  double factor = 2;     ///< ratio of successive sizes, above 1
  double seconds = 0.5;  ///< total duration of the measured calls of a size
  int iterations = 0;  ///< number of measured calls, 0 for as many as fit in `seconds` (5 to 1000)
  int warm_up = 5;     ///< number of preceding calls of each size
  /// Total bytes of the arrays that successive calls use in turn, like the gradients in a training
  /// step. 0 uses a single array, like nccl-tests. A single array stays in the caches while it
  /// fits.
  std::int64_t rotated_bytes = 0;
};

/// Returns the names of the collectives and number formats that can be measured.
std::vector<std::string> measured_collectives();
std::vector<std::string> measured_precisions();

/// Returns the ratio of the bandwidth on the links to the bandwidth that the program observes
/// (bytes / s). The bandwidth on the links does not depend on the number of ranks. The factors are:
/// all_reduce 2(n-1)/n, reduce_scatter and all_gather (n-1)/n, broadcast 1 (nccl-tests,
/// PERFORMANCE.md).
double bus_factor(const std::string& collective, int ranks);

/// Returns the number of elements of the whole array at each size. reduce_scatter and all_gather
/// have equal shares, so their numbers are multiples of the number of ranks. Duplicate numbers are
/// removed.
std::vector<std::int64_t> sweep_counts(const CommSweep& sweep, const std::string& collective,
                                       int ranks);

/// Callback that receives each measurement, on every rank. `size` is the index of the size among
/// `sizes`.
using OnCommTime = std::function<void(const contract::CommTime& time, int size, int sizes)>;

/// **Collective.** Measures each size in three steps: one call whose result is checked element by
/// element, then `warm_up` calls, then the measured calls, each after a barrier. The duration of a
/// call is its duration on the slowest rank. Fills in the fields collective, algorithm, ranks,
/// precision, bytes, times, bandwidths and wrong.
void sweep_collectives(const CommSweep& sweep, Communicator& communicator, Device& device,
                       const base::Clock& clock, const OnCommTime& found);

}  // namespace dlscale::trainer
