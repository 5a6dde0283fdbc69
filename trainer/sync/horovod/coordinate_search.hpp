// SPDX-License-Identifier: Apache-2.0
// A search for the values that give the highest score.
#pragma once

#include <cstddef>
#include <vector>

namespace dlscale::trainer::horovod {

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

}  // namespace dlscale::trainer::horovod
