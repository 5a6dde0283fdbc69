// SPDX-License-Identifier: Apache-2.0
// Automatic tuning of the fusion threshold and the cycle time during training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/sync/horovod/messages.hpp"

namespace dlscale::trainer::horovod {

// Search for the values with the highest score.

/// Search for the point with the highest score. The search changes one coordinate at a time, first
/// by factors of 4 and then by factors of 2. The search continues in a direction as long as the
/// score rises. The search ends in a local maximum on this logarithmic grid. Every step either
/// improves the best score or moves on to the next direction, factor or coordinate. Noise in the
/// scores can therefore mislead the search, but the search always ends.
class CoordinateSearch {
 public:
  struct Axis {
    double start, least, most;  ///< 0 < least <= start <= most
  };
  explicit CoordinateSearch(std::vector<Axis> axes);

  /// Returns the point for which the caller must report a score next. Returns the best point once
  /// done() is true.
  const std::vector<double>& point() const { return done() ? best_ : point_; }
  /// Reports the score of point().
  void tell(double score);
  bool done() const { return axis_ == axes_.size(); }

 private:
  void turn();
  void propose();

  std::vector<Axis> axes_;
  std::vector<double> best_;
  std::vector<double> point_;
  double best_score_ = 0;
  bool has_score_ = false;
  // State of the search: the coordinate in search, the factor of a step, the direction, and whether
  // a step in this direction has improved the score.
  std::size_t axis_ = 0;
  double factor_;
  bool upwards_ = true;
  bool has_moved_ = false;
};

struct Tuned {
  double fusion_threshold_mb = 128;
  double cycle_time_ms = 1;
};

/// Tuner of the fusion threshold and the cycle time. As in Horovod, the score of a setting is the
/// number of bytes reduced per second. One measurement covers 10 training steps, and the score of a
/// setting is the median of 5 measurements. The first 3 measurements of the training are discarded.
/// Horovod chooses the next setting with a Gaussian process. This class uses a CoordinateSearch
/// instead, which needs about as many settings.
class Autotune {
 public:
  Autotune(const Tuned& start, const base::Clock& clock);

  /// Records the reductions of a cycle. `responses` must be equal on all ranks. Returns true on all
  /// ranks when a measurement is complete. All ranks must then call agree().
  bool record(const std::vector<Response>& responses);
  /// **Collective.** Returns the next setting. Rank 0 chooses the setting from the scores that rank
  /// 0 has measured, and broadcasts it to all ranks.
  Tuned agree(Communicator& communicator);
  /// Returns true when the setting is final.
  bool done() const { return done_; }

 private:
  Tuned next(double score);

  const base::Clock& clock_;
  CoordinateSearch search_;
  std::unordered_map<std::string, int> reductions_;  ///< reductions of each tensor since start_s_
  double start_s_;
  std::int64_t bytes_ = 0;
  int discards_;
  std::vector<double> scores_;
  bool done_ = false;
};

}  // namespace dlscale::trainer::horovod
