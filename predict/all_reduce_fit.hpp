// SPDX-License-Identifier: Apache-2.0
// Latency and bandwidth of measured all-reduces, and how long others take by them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "contract/records/calibration.hpp"
#include "predict/all_reduce.hpp"

namespace dlscale::predict {

// Latency and bandwidth of measured all-reduces, for each range of sizes that one line describes.

/// So many sizes of a placement make a line with an interval.
inline constexpr int kFewestSizes = 3;

/// For each topology and placement its ranges, ascending: protocols and algorithms change with the
/// size, and α and β with them. One range, two or three, of at least four sizes each where there
/// are several; their number and borders have the least AICc of relative errors (Hurvich and Tsai,
/// 1989). Of several times of one size their middle counts. Placements with fewer than kFewestSizes
/// sizes have none.
std::vector<contract::AllReduceFit> fit_all_reduces(
    const std::vector<contract::AllReduceTime>& measured);

/// How much longer a reduce-scatter takes than an all-gather of the same array, for each byte that
/// is added up: γ of Barrachina's formula by the byte. Of times of one placement on `gpus` ranks,
/// by size; sizes of which only one of both was measured are passed over. 0 with fewer than
/// kFewestSizes.
contract::FittedValue fit_summation(int gpus,
                                    const std::map<std::int64_t, double>& reduce_scatter_s,
                                    const std::map<std::int64_t, double>& all_gather_s);

// How long an all-reduce takes, from measurements of others.

/// What an estimate rests on, from the surest on.
enum class Basis {
  interpolated,  ///< between two sizes measured on so many GPUs
  beyond_sizes,  ///< outside the sizes measured, by the α and β of these GPUs
  beyond_gpus,   ///< on other GPU counts of the same topology, by the α and β of them all
};

struct AllReduceEstimate {
  Seconds time;
  Basis basis = Basis::interpolated;
  /// Root mean square of estimated / measured - 1: of the placement's sizes, each estimated by its
  /// neighbours, or on other counts of what α and β were fitted to. 0 for a size that was measured;
  /// negative where there are too few sizes to say it.
  double relative_error = 0;
  double farther = 1;  ///< GPUs / the most that were measured, or the fewest / GPUs; at least 1
  /// What the time may be wrong by, as a part of it: twice the error, and no less than was found
  /// elsewhere (docs/prediction-model.md). On other counts it grows with the distance.
  double uncertainty() const;
};

/// α and β of a ring, by least squares of relative errors, neither negative.
struct RingFit {
  Seconds latency;
  double seconds_per_byte = 0;
  double relative_error = 0;  ///< root mean square
};

/// Tables of times over message sizes, one for each topology and placement.
class AllReduceTable {
 public:
  explicit AllReduceTable(const std::vector<contract::AllReduceTime>& measured);

  bool empty() const { return tables_.empty(); }
  /// ln t is linear in ln n between two sizes. Outside of them it goes on as the ring's α and β
  /// have it. For a placement that was not measured α and β are those of all placements of the
  /// topology that lie on one node, as it does, or on several. Throws base::UsageError where they
  /// are none, or the topology is not named: bandwidth of one count says nothing of another's then.
  AllReduceEstimate estimate(const std::string& topology, Placement ranks, Bytes message) const;

 private:
  struct Point {
    double bytes;
    double seconds;
  };
  using Key = std::tuple<std::string, int, int>;  ///< topology, nodes, gpus
  struct Fitted {
    std::vector<Point> points;  ///< ascending
    RingFit fit;
    double left_out = 0;  ///< error of sizes estimated by their neighbours; negative: too few
  };
  struct TopologyFit {
    RingFit fit;
    int fewest = 0, most = 0;  ///< GPUs
  };

  static double left_out_error(const std::vector<Point>& points);
  TopologyFit fit_of(const std::string& topology, Placement ranks) const;

  std::map<Key, Fitted> tables_;
};

/// Of times on `gpus[i]` ranks of messages of `bytes[i]`; all three equally long, not empty.
RingFit fit_ring(const std::vector<int>& gpus, const std::vector<double>& bytes,
                 const std::vector<double>& seconds);

}  // namespace dlscale::predict
