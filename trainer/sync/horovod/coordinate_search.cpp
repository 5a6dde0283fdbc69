// SPDX-License-Identifier: Apache-2.0
// Up, else down; then with smaller steps; then along the next axis.
#include "trainer/sync/horovod/coordinate_search.hpp"

#include <algorithm>
#include <utility>

namespace dlscale::trainer::horovod {
namespace {

constexpr double kLongStep = 4;
constexpr double kShortStep = 2;

}  // namespace

CoordinateSearch::CoordinateSearch(std::vector<Axis> axes)
    : axes_(std::move(axes)), factor_(kLongStep) {
  for (const Axis& axis : axes_) best_.push_back(axis.start);
  point_ = best_;
}

void CoordinateSearch::tell(double score) {
  if (done()) return;
  if (!has_score_) {
    best_score_ = score;
    has_score_ = true;
  } else if (score > best_score_) {
    best_score_ = score;
    best_ = point_;
    has_moved_ = true;
  } else {
    turn();
  }
  propose();
}

/// The last step did not pay.
void CoordinateSearch::turn() {
  if (upwards_ && !has_moved_) {
    upwards_ = false;
    return;
  }
  upwards_ = true;
  has_moved_ = false;
  if (factor_ == kLongStep) {
    factor_ = kShortStep;
    return;
  }
  factor_ = kLongStep;
  ++axis_;
}

void CoordinateSearch::propose() {
  for (; !done(); turn()) {
    const Axis& axis = axes_[axis_];
    point_ = best_;
    double& value = point_[axis_];
    value = std::clamp(upwards_ ? value * factor_ : value / factor_, axis.least, axis.most);
    if (point_ != best_) return;
  }
}

}  // namespace dlscale::trainer::horovod
