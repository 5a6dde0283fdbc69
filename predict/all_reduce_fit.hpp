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

// Latency and bandwidth of measured all-reduces, with one line for each range of message sizes.

/// Smallest number of message sizes of a placement that gives a line with an interval.
inline constexpr int kFewestSizes = 3;

/// Returns the fits of each topology and placement, one for each range of message sizes, in
/// ascending order. Protocols and algorithms change with the message size, and α and β change with
/// them. A placement has one, two or three ranges. If there are several ranges, each has at least
/// four sizes. The number and the borders of the ranges minimise the AICc of relative errors
/// (Hurvich and Tsai, 1989). The median counts for several times of one size. Omits placements with
/// fewer than kFewestSizes sizes.
std::vector<contract::AllReduceFit> fit_all_reduces(
    const std::vector<contract::AllReduceTime>& measured);

/// Returns how much longer a reduce-scatter takes than an all-gather of the same array, in seconds
/// per added byte. This is γ of Barrachina's formula per byte. The maps contain times by message
/// size, for one placement on `gpus` ranks. Ignores sizes that only one of the two maps contains.
/// Returns 0 with fewer than kFewestSizes sizes.
contract::FittedValue fit_summation(int gpus,
                                    const std::map<std::int64_t, double>& reduce_scatter_s,
                                    const std::map<std::int64_t, double>& all_gather_s);

// Time of an all-reduce, estimated from measurements of other all-reduces.

/// Basis of an estimate, from the most certain to the least certain.
enum class Basis {
  interpolated,  ///< interpolation between two sizes measured on this GPU count
  beyond_sizes,  ///< extrapolation beyond the measured sizes by α and β of this count
  beyond_gpus,   ///< estimate from α and β of all measured counts of the topology
};

struct AllReduceEstimate {
  Seconds time;
  Basis basis = Basis::interpolated;
  /// Root mean square of estimated / measured - 1. For a measured placement, each of its sizes is
  /// estimated from the neighbouring sizes. For other GPU counts, this is the error of the fit of α
  /// and β. The value is 0 for a measured size, and negative if there are too few sizes.
  double relative_error = 0;
  double farther = 1;  ///< distance: GPUs / most measured, or fewest measured / GPUs; at least 1
  /// Returns the relative uncertainty of the time: twice the relative error, but at least the error
  /// found in other measurements (docs/prediction-model.md). For other GPU counts the uncertainty
  /// grows with `farther`.
  double uncertainty() const;
};

/// Fit of α and β of a ring by least squares of relative errors, with non-negative values.
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
  /// Returns the estimated time of an all-reduce. Between two measured sizes ln t is linear in ln
  /// n. Outside the measured sizes the time follows α and β of the ring. For a placement that was
  /// not measured, α and β come from all placements of the topology on one node, if `ranks` use one
  /// node, or on several nodes. Throws base::UsageError if there are no such placements or the
  /// topology has no name. Without a topology the bandwidth of one GPU count does not predict the
  /// bandwidth of another count.
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
    double left_out = 0;  ///< error of sizes estimated from neighbours; negative: too few sizes
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
