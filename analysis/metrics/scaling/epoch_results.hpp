// SPDX-License-Identifier: Apache-2.0
// Collects the results of runs by epoch, by rank and by counter, and the shares of kernel time.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/metrics/scaling/run_points.hpp"

namespace dlscale::analysis {

/// Results of one epoch of a run. Empty values are not recorded.
struct EpochResults {
  std::optional<double> train_loss, test_loss, train_accuracy, test_accuracy;
  std::optional<double> train_s;  ///< time of the training, slowest rank
  std::optional<double> test_s;   ///< time of the evaluation after the epoch
};

/// Returns the results of an epoch of the run. The test accuracy is empty for tasks without
/// classes.
EpochResults epoch_results(const RunRow& run, int epoch);

/// Returns the epochs, from 0, that the run trained or evaluated.
std::set<int> epochs_of(const RunRow& run);

/// Returns true if the run completed and recorded at least one epoch.
bool has_epochs(const RunRow& run);

/// Results of each rank in an epoch of a run, by rank. A list is empty if it is not recorded.
struct RankResults {
  std::int64_t steps = 0;      ///< steps that `work_s` covers
  std::vector<double> work_s;  ///< time of the rank without waiting for other ranks
  std::vector<double> train_loss, train_accuracy;
  /// Results of the rank on its share of the test set.
  std::vector<double> test_loss, test_accuracy, test_s;
};

/// Returns the training results of the ranks in the last epoch that recorded such results, and the
/// test results of the ranks in the last evaluation. Returns an empty value for a run of one rank.
std::optional<RankResults> last_ranks(const RunRow& run);

/// Returns the results of the ranks in an epoch, which is counted from 0. If several launches
/// trained the epoch, the results are those of the last of these launches. Returns an empty value
/// for a run of one rank and for an epoch without results.
std::optional<RankResults> ranks_in_epoch(const RunRow& run, int epoch);

/// Returns the counters of the run per step: the counters of its step windows, and "bytes_sent" and
/// "collectives" of a rank if the run counted them.
std::map<std::string, double> counters_of(const RunRow& run);

/// Shares of kernel time over all profiled steps of one or several repeats of a point. Kernel times
/// are added before the shares are computed, because a mean of shares would give short profiles too
/// much weight.
struct KernelShares {
  std::size_t n = 0;       ///< number of repeats with a profile
  std::int64_t steps = 0;  ///< profiled steps of all repeats
  double communication = 0, io = 0, computation = 0, other = 0;
  /// CPU time / (wall time x cores of a rank). Empty if not recorded.
  std::optional<double> cpu_occupancy;
  /// Seconds of I/O kernels of a rank in an epoch. Empty if the number of steps of an epoch is
  /// unknown.
  std::optional<double> io_s_per_epoch;
};

/// Returns the shares of the repeats, or an empty value if none of their profiles has kernel time.
std::optional<KernelShares> kernel_shares(const std::vector<const RunRow*>& repeats);

}  // namespace dlscale::analysis
