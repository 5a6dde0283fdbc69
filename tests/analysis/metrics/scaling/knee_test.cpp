// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/knee.hpp"

#include <catch2/catch.hpp>

#include "analysis/metrics/scaling/selected_runs.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using test::frame_of;
using test::run_at;

/// Returns `repeats` runs for each pair of a GPU count and an efficiency relative to 1 GPU.
/// `spread` is the relative distance between the repeats of a point.
Frame frame_with(const std::vector<std::pair<int, double>>& efficiencies, int repeats,
                 double spread = 0.001) {
  Frame frame = frame_of({});
  for (const auto& [gpus, efficiency] : efficiencies) {
    for (int r = 1; r <= repeats; ++r) {
      const double rate = 1000 * gpus * efficiency * (1 + spread * (r - (repeats + 1) / 2.0));
      frame.runs.push_back(run_at(gpus, rate, "ddp", r));
      frame.runs.back().evals = {{0, efficiency, 1.0}};
    }
  }
  return frame;
}

Knee knee_of(const Frame& frame, double efficiency = 0.8, int baseline_gpus = 1) {
  const std::vector<ScalingCurve> curves = scaling_curves(frame);
  const auto choices = choose_baselines(curves, {"gpus", baseline_gpus}, false);
  return efficiency_knee(curves.at(0), choices.at(0).baseline.value(), efficiency);
}

}  // namespace

TEST_CASE("the knee is the last count before efficiency first falls short") {
  const Frame frame = frame_with({{1, 1}, {2, 0.95}, {4, 0.85}, {8, 0.7}, {16, 0.9}}, 1);
  const Knee knee = knee_of(frame);
  CHECK(knee.gpus == 4);
  CHECK_FALSE(knee.largest);
  CHECK_FALSE(knee.low.has_value());
  CHECK(knee_of(frame, 0.6).gpus == 16);
  CHECK(knee_of(frame, 0.6).largest);
  CHECK(knee_of(frame, 0.99).gpus == 1);
}

TEST_CASE("the knee is certain if the points are far from the demand") {
  const Knee knee = knee_of(frame_with({{1, 1}, {2, 0.95}, {4, 0.9}, {8, 0.6}}, 6));
  CHECK(knee.gpus == 4);
  CHECK(knee.low == 4);
  CHECK(knee.high == 4);
  CHECK(knee.support == 1);
}

TEST_CASE("the knee is uncertain if a point is at the demand") {
  const Knee knee = knee_of(frame_with({{1, 1}, {2, 0.95}, {4, 0.805}, {8, 0.6}}, 6, 0.02));
  CHECK(knee.low == 2);
  CHECK(knee.high == 4);
  CHECK(knee.support > 0.4);
  CHECK(knee.support < 0.9);
}

TEST_CASE("the knee starts at the fewest GPUs, whatever the baseline") {
  const Frame frame = frame_with({{1, 1}, {2, 0.59}, {3, 0.5}}, 6);
  const Knee knee = knee_of(frame, 0.8, 2);
  CHECK(knee.gpus == 1);
  CHECK(knee.high == 1);
  CHECK(knee_of(frame, 0.55, 3).gpus == 2);
  const auto curves = scaling_curves(frame);
  const auto choices = choose_baselines(curves, {"gpus", 2}, false);
  CHECK(knee_reference(curves.at(0), choices.at(0).baseline.value()).gpus() == 1);
}

TEST_CASE("with a plain run at more GPUs the smaller counts of a curve are also considered") {
  Frame frame = frame_with({{1, 0.95}, {2, 0.9}, {4, 0.85}, {8, 0.5}}, 1);
  frame.runs.push_back(run_at(4, 4000, "single"));
  const auto curves = scaling_curves(frame);
  const auto choices = choose_baselines(curves, {"framework=single", 4}, false);
  const Baseline baseline = choices.at(0).baseline.value();
  CHECK(efficiency_knee(curves.at(0), baseline, 0.8).gpus == 4);
  CHECK(efficiency_knee(curves.at(0), baseline, 0.92).gpus == 1);
  CHECK(efficiency_knee(curves.at(0), baseline, 0.99).gpus == 1);
}

TEST_CASE("accuracy has a knee too") {
  const Frame frame = frame_with({{1, 0.77}, {2, 0.768}, {4, 0.761}, {8, 0.74}}, 1);
  CHECK(accuracy_knee(accuracy_points(frame), 0.01).gpus == 4);
  CHECK(accuracy_knee(accuracy_points(frame), 0.001).gpus == 1);
}

TEST_CASE("outliers are removed from the frame by the requested policy and reported") {
  Frame frame = frame_with({{1, 1}, {2, 0.9}}, 5);
  frame.runs[3].steps.wall_s *= 10;
  Frame same = frame;
  leave_out_outliers(same, OutlierPolicy::None);
  CHECK(same.runs.size() == 10);
  CHECK(same.outliers.empty());
  Frame olympic = frame;
  leave_out_outliers(olympic, OutlierPolicy::Olympic);
  CHECK(olympic.runs.size() == 6);
  leave_out_outliers(frame, OutlierPolicy::Mad);
  CHECK(frame.runs.size() == 9);
  CHECK(frame.outliers == "outliers (mad): 1 run left out: ddp-g1-r4");
}

TEST_CASE("with a plain run as the baseline the point at its GPU count is also considered") {
  Frame frame = frame_with({{1, 0.7}, {2, 0.9}}, 1);
  frame.runs.push_back(run_at(1, 1000, "single"));
  const std::vector<ScalingCurve> curves = scaling_curves(frame);
  const auto choices = choose_baselines(curves, {"framework=single", 1}, false);
  const Knee knee = efficiency_knee(curves.at(0), choices.at(0).baseline.value(), 0.8);
  CHECK(knee.gpus == 1);
  CHECK_FALSE(knee.largest);
}

}  // namespace dlscale::analysis
