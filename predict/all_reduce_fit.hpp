// SPDX-License-Identifier: Apache-2.0
// Fits latency and bandwidth to measured all-reduces and estimates the time of other all-reduces.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "contract/records/calibration.hpp"
#include "predict/all_reduce.hpp"

namespace dlscale::predict {

// The following declarations fit the latency α and the time per byte β to measured all-reduces.
// Each range of message sizes has its own straight line of time over message size.

/// Minimum number of measured message sizes of a placement. A fit to fewer sizes has no confidence
/// interval.
inline constexpr int kFewestSizes = 3;

/// Fits the latency α and the time per byte β to the all-reduces of each topology and placement.
/// Returns one fit for each range of message sizes, in ascending order.
/// - Ranges are needed because libraries choose protocol and algorithm by message size, and each
///   protocol and algorithm has a different α and β.
/// - A placement has one, two or three ranges. If it has several ranges, each range contains at
///   least four sizes.
/// - The number and the borders of the ranges minimise the corrected Akaike information criterion
///   (AICc) of the relative errors (Hurvich and Tsai, 1989).
/// - If a size was measured several times, the fit uses the median time.
/// - Placements with fewer than kFewestSizes sizes are omitted.
std::vector<contract::AllReduceFit> fit_all_reduces(
    const std::vector<contract::AllReduceTime>& measured);

/// Returns how much longer a reduce-scatter takes than an all-gather of the same array, in seconds
/// per byte that a rank adds. The result is γ of Barrachina's formula, per byte instead of per
/// number. Both maps contain times in seconds by message size, measured on one placement with
/// `gpus` ranks. Ignores sizes that only one of the two maps contains. Returns 0 with fewer than
/// kFewestSizes common sizes.
contract::FittedValue fit_summation(int gpus,
                                    const std::map<std::int64_t, double>& reduce_scatter_s,
                                    const std::map<std::int64_t, double>& all_gather_s);

// The following declarations estimate the time of an all-reduce from measurements of other
// all-reduces.

/// Kind of measurements on which an estimate is based, from the most certain to the least certain.
enum class Basis {
  interpolated,  ///< interpolation between two sizes measured on this GPU count
  beyond_sizes,  ///< extrapolation beyond the measured sizes by α and β of this GPU count
  beyond_gpus,   ///< calculation from α and β fitted to all measured GPU counts of the topology
};

struct AllReduceEstimate {
  Seconds time;
  Basis basis = Basis::interpolated;
  /// Relative error of the estimate: the root mean square of estimated / measured - 1.
  /// - For a measured placement, each measured size is left out in turn and estimated from its
  ///   neighbours.
  /// - For other GPU counts, this is the error of the fit of α and β.
  /// - The value is 0 if this message size itself was measured.
  /// - The value is negative if there are too few sizes to determine the error.
  double relative_error = 0;
  /// Distance of the GPU count from the measured counts, as a ratio of at least 1. The ratio is
  /// GPUs / largest measured count above the measured counts, and smallest measured count / GPUs
  /// below them.
  double farther = 1;
  /// Returns the relative uncertainty of the time. The uncertainty is twice the relative error, but
  /// at least the minimum that other measurements showed (docs/prediction-model.md). For other GPU
  /// counts the uncertainty grows with `farther`.
  double uncertainty() const;
};

/// Latency α and time per byte β of a ring, fitted to measured times by least squares of relative
/// errors. Neither value is negative.
struct RingFit {
  Seconds latency;
  double seconds_per_byte = 0;
  double relative_error = 0;  ///< root mean square of fitted / measured - 1
};

/// Tables of measured times by message size, one for each topology and placement.
class AllReduceTable {
 public:
  explicit AllReduceTable(const std::vector<contract::AllReduceTime>& measured);

  bool empty() const { return tables_.empty(); }
  /// Returns the estimated time of an all-reduce.
  /// - Between two measured sizes, ln(time) is linear in ln(size).
  /// - Outside the measured sizes, the time changes as predicted by α and β of the ring.
  /// - If the placement was not measured, α and β are fitted to other placements of the topology.
  ///   For ranks on one node, these are the placements on one node. Otherwise, these are the
  ///   placements on several nodes.
  /// If the placement was not measured, throws base::UsageError if there are no such placements or
  /// if `topology` is empty. Without a named topology, the bandwidth at one GPU count does not
  /// predict the bandwidth at another GPU count.
  AllReduceEstimate estimate(const std::string& topology, Placement ranks, Bytes message) const;

 private:
  struct Point {
    double bytes;
    double seconds;
  };
  using Key = std::tuple<std::string, int, int>;  ///< topology, nodes, gpus
  struct Fitted {
    std::vector<Point> points;  ///< points in ascending order of bytes
    RingFit fit;
    /// Relative error of estimates of each size from its neighbours. The value is negative if there
    /// are fewer than three sizes.
    double left_out = 0;
  };
  struct TopologyFit {
    RingFit fit;
    int fewest = 0, most = 0;  ///< smallest and largest measured GPU count
  };

  static double left_out_error(const std::vector<Point>& points);
  TopologyFit fit_of(const std::string& topology, Placement ranks) const;

  std::map<Key, Fitted> tables_;
};

/// Fits α and β to times `seconds[i]` of messages with `bytes[i]` bytes on `gpus[i]` ranks. The
/// three vectors must have the same length and must not be empty.
RingFit fit_ring(const std::vector<int>& gpus, const std::vector<double>& bytes,
                 const std::vector<double>& seconds);

}  // namespace dlscale::predict
