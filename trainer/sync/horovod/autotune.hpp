// SPDX-License-Identifier: Apache-2.0
// Fusion threshold and cycle time, tried out while training goes on.
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

// A search for the values that give the highest score.

/// Walks along one axis after the other, on a logarithmic scale: as long as the score rises by
/// steps of a factor of 4, then of 2. It ends in a local maximum on this grid; no score is asked
/// for twice in a row, so noise can mislead it but not keep it from ending.
class CoordinateSearch {
 public:
  struct Axis {
    double start, least, most;  ///< 0 < least <= start <= most
  };
  explicit CoordinateSearch(std::vector<Axis> axes);

  /// Whose score is wanted next; once done(), the best point found.
  const std::vector<double>& point() const { return done() ? best_ : point_; }
  /// The score of point().
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
  // Where the walk stands: the axis, the factor of a step, its direction, and whether it has paid.
  std::size_t axis_ = 0;
  double factor_;
  bool upwards_ = true;
  bool has_moved_ = false;
};

struct Tuned {
  double fusion_threshold_mb = 128;
  double cycle_time_ms = 1;
};

/// Scores a setting by bytes reduced a second, as Horovod does: the median of 5 scores over 10
/// steps each, after 3 that are thrown away. Horovod models the scores as a Gaussian process; here
/// a CoordinateSearch picks the next setting, which takes about as many.
class Autotune {
 public:
  Autotune(const Tuned& start, const base::Clock& clock);

  /// What a cycle has reduced; equal on all ranks. Returns true when a score is complete on all
  /// ranks, which then call agree().
  bool record(const std::vector<Response>& responses);
  /// **Collective.** Rank 0's scores lead to the next setting, which is everyone's.
  Tuned agree(Communicator& communicator);
  /// The setting stays.
  bool done() const { return done_; }

 private:
  Tuned next(double score);

  const base::Clock& clock_;
  CoordinateSearch search_;
  std::unordered_map<std::string, int> reductions_;  ///< of each tensor since start_s_
  double start_s_;
  std::int64_t bytes_ = 0;
  int discards_;
  std::vector<double> scores_;
  bool done_ = false;
};

}  // namespace dlscale::trainer::horovod
