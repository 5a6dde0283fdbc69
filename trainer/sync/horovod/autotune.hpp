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

/// Search that moves along one axis after the other, on a logarithmic scale. The search moves on
/// while the score rises, first by steps of a factor of 4, then of 2. The search ends in a local
/// maximum on this grid. No score is requested twice in a row, so noise can mislead the search but
/// cannot keep it from ending.
class CoordinateSearch {
 public:
  struct Axis {
    double start, least, most;  ///< 0 < least <= start <= most
  };
  explicit CoordinateSearch(std::vector<Axis> axes);

  /// Returns the point whose score is needed next. Returns the best point once done() is true.
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
  // State of the search: the axis, the factor of a step, the direction, and whether a step improved
  // the score.
  std::size_t axis_ = 0;
  double factor_;
  bool upwards_ = true;
  bool has_moved_ = false;
};

struct Tuned {
  double fusion_threshold_mb = 128;
  double cycle_time_ms = 1;
};

/// Tuner that scores a setting by the bytes reduced per second, like Horovod. The score of a
/// setting is the median of 5 scores over 10 steps each. The first 3 scores are discarded. Horovod
/// models the scores as a Gaussian process. Here, a CoordinateSearch chooses the next setting,
/// which needs about as many settings.
class Autotune {
 public:
  Autotune(const Tuned& start, const base::Clock& clock);

  /// Records the reductions of a cycle, which must be equal on all ranks. Returns true when a score
  /// is complete on all ranks. All ranks must then call agree().
  bool record(const std::vector<Response>& responses);
  /// **Collective.** Returns the next setting, which is the same on all ranks and follows from the
  /// scores of rank 0.
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
