// SPDX-License-Identifier: Apache-2.0
#include "trainer/sync/horovod/autotune.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace dlscale::trainer::horovod {

// For each coordinate, the search first increases the value. If the first increase does not improve
// the score, the search decreases the value instead. The search then repeats this with smaller
// steps, and continues with the next coordinate.

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

/// Changes to the next direction, step size or coordinate. Called after a step that did not improve
/// the score.
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

// The following functions of Autotune compute scores from reductions, and settings from scores.

namespace {

constexpr int kSteps = 10;    // number of training steps that a measurement covers
constexpr int kDiscards = 3;  // number of measurements discarded at the start
constexpr std::size_t kScores = 5;

constexpr double kLeastMb = 1;
constexpr double kMostMb = 1024;
constexpr double kLeastMs = 0.25;
constexpr double kMostMs = 64;

std::vector<CoordinateSearch::Axis> axes_from(const Tuned& start) {
  return {{std::clamp(start.fusion_threshold_mb, kLeastMb, kMostMb), kLeastMb, kMostMb},
          {std::clamp(start.cycle_time_ms, kLeastMs, kMostMs), kLeastMs, kMostMs}};
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Autotune::Autotune(const Tuned& start, const base::Clock& clock)
    : clock_(clock), search_(axes_from(start)), start_s_(clock.steady_s()), discards_(kDiscards) {}

bool Autotune::record(const std::vector<Response>& responses) {
  if (done_) return false;
  bool is_complete = false;
  for (const Response& response : responses) {
    bytes_ += response.bytes();
    for (const std::string& name : response.names) {
      // Each tensor is reduced once in each step. The reduction kSteps + 1 of a tensor therefore
      // shows that the first kSteps steps are over.
      is_complete = ++reductions_[name] > kSteps || is_complete;
    }
  }
  return is_complete;
}

Tuned Autotune::agree(Communicator& communicator) {
  const double now_s = clock_.steady_s();
  const Tuned tuned = next(static_cast<double>(bytes_) / std::max(now_s - start_s_, 1e-9));
  std::array<double, 3> values{tuned.fusion_threshold_mb, tuned.cycle_time_ms,
                               search_.done() ? 1.0 : 0.0};
  communicator.broadcast({values.data(), values.size(), ElementType::float64}, 0);
  done_ = values[2] != 0;
  reductions_.clear();
  bytes_ = 0;
  start_s_ = clock_.steady_s();
  return {values[0], values[1]};
}

Tuned Autotune::next(double score) {
  if (discards_ > 0) {
    --discards_;
  } else {
    scores_.push_back(score);
  }
  if (scores_.size() == kScores) {
    search_.tell(median(scores_));
    scores_.clear();
  }
  return {search_.point()[0], search_.point()[1]};
}

}  // namespace dlscale::trainer::horovod
