// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/efficiency.hpp"

#include <catch2/catch.hpp>

#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using test::frame_of;
using test::run_at;

/// The only curve that the given runs form, with the baseline of the curve at `gpus` GPUs.
struct Only {
  Frame frame;
  ScalingCurve curve;
  Baseline baseline;
  explicit Only(std::vector<RunRow> runs, int gpus)
      : frame(frame_of(std::move(runs))),
        curve(scaling_curves(frame).at(0)),
        baseline(choose_baselines({curve}, {"gpus", gpus}, false).at(0).baseline.value()) {}
};

}  // namespace

TEST_CASE("efficiency at the baseline is 1 without an interval") {
  const Only only({run_at(2, 1900), run_at(1, 1000), run_at(4, 3000)}, 2);
  const Estimate e = efficiency(only.curve.points[1], only.baseline);
  CHECK(e.value == 1);
  CHECK(e.interval.kind == Interval::Kind::None);
  CHECK(speedup(only.curve.points[1], only.baseline).value == 1);
}

TEST_CASE("perfect scaling has efficiency 1 and the ideal speed-up everywhere") {
  const Only only({run_at(1, 500), run_at(2, 1000), run_at(4, 2000), run_at(8, 4000)}, 1);
  for (const CurvePoint& point : only.curve.points) {
    CHECK(efficiency(point, only.baseline).value == Approx(1));
    CHECK(speedup(point, only.baseline).value == Approx(ideal_speedup(point, only.baseline)));
    CHECK(karp_flatt(point, only.baseline).value_or(0) == Approx(0).margin(1e-12));
  }
}

TEST_CASE("efficiency does not depend on the unit of throughput") {
  const Only images({run_at(1, 500), run_at(4, 1700)}, 1);
  const Only kilo_images({run_at(1, 0.5), run_at(4, 1.7)}, 1);
  CHECK(efficiency(images.curve.points[1], images.baseline).value ==
        Approx(efficiency(kilo_images.curve.points[1], kilo_images.baseline).value));
}

TEST_CASE("efficiency relative to four GPUs counts GPUs instead of nodes") {
  // 2464 samples/s on 4 GPUs and 576500 samples/s on 1024 GPUs give an efficiency of 0.914. S / G
  // would give 0.23.
  const Only only({run_at(4, 2464), run_at(1024, 576500)}, 4);
  CHECK(speedup(only.curve.points[1], only.baseline).value == Approx(233.97).epsilon(1e-4));
  CHECK(efficiency(only.curve.points[1], only.baseline).value == Approx(0.9139).epsilon(1e-3));
  CHECK(only.baseline.gpus() == 4);
  CHECK(only.baseline.nodes() == 1);
  CHECK(only.baseline.label("GPU") == "4 GPUs (1 node)");
}

TEST_CASE("efficiencies multiply over chained baselines") {
  const std::vector<RunRow> runs{run_at(1, 700), run_at(4, 2464), run_at(8, 4600)};
  const Only one(runs, 1);
  const Only four(runs, 4);
  const double e_8_1 = efficiency(one.curve.points[2], one.baseline).value;
  const double e_4_1 = efficiency(one.curve.points[1], one.baseline).value;
  CHECK(e_8_1 == Approx(efficiency(four.curve.points[2], four.baseline).value * e_4_1));
}

TEST_CASE("the Karp-Flatt fraction recovers Amdahl's serial part") {
  const double serial = 0.05;
  const Only only({run_at(1, 1000), run_at(8, 1000 / (serial + (1 - serial) / 8))}, 1);
  CHECK(karp_flatt(only.curve.points[1], only.baseline).value() == Approx(serial));
  CHECK_FALSE(karp_flatt(only.curve.points[0], only.baseline).has_value());
}

TEST_CASE("efficiency of a few repeats comes with its range") {
  const Only only({run_at(1, 1000, "ddp", 1), run_at(1, 1000, "ddp", 2), run_at(2, 1500, "ddp", 1),
                   run_at(2, 1800, "ddp", 2)},
                  1);
  const Estimate e = efficiency(only.curve.points[1], only.baseline);
  CHECK(e.n == 2);
  CHECK(e.interval.kind == Interval::Kind::Range);
  CHECK(e.interval.low == Approx(0.75));
  CHECK(e.interval.high == Approx(0.9));
}

TEST_CASE("efficiency of six repeats comes with a 95 % interval around it") {
  std::vector<RunRow> runs;
  for (int r = 1; r <= 6; ++r) {
    runs.push_back(run_at(1, 1000 + 3 * r, "ddp", r));
    runs.push_back(run_at(2, 1700 + 20 * r, "ddp", r));
  }
  const Only only(runs, 1);
  const Estimate e = efficiency(only.curve.points[1], only.baseline);
  CHECK(e.interval.kind == Interval::Kind::Confidence95);
  CHECK(e.interval.low <= e.value);
  CHECK(e.interval.high >= e.value);
}

TEST_CASE("an absolute speed-up is relative to the plain run, also at its GPU count") {
  const Frame frame = frame_of({run_at(1, 800), run_at(4, 3000), run_at(1, 1000, "single", 1),
                                run_at(1, 1250, "single", 2)});
  const std::vector<ScalingCurve> curves = scaling_curves(frame);
  const auto choices = choose_baselines(curves, {"framework=single", 1}, false);
  const Baseline& plain = choices[0].baseline.value();
  const double rate = 2 / (1 / 1000.0 + 1 / 1250.0);  // the median is taken over times
  const Estimate at_1 = speedup(curves[0].points[0], plain);
  CHECK(at_1.value == Approx(800 / rate));
  CHECK(at_1.interval.kind == Interval::Kind::Range);
  CHECK(at_1.interval.low == Approx(800 / 1250.0));
  CHECK(at_1.interval.high == Approx(800 / 1000.0));
  CHECK(speedup(curves[0].points[1], plain).value == Approx(3000 / rate));
  CHECK(efficiency(curves[0].points[1], plain).value == Approx(3000 / rate / 4));
  CHECK(speedup(curves[1].points[0], choices[1].baseline.value()).value == 1);
}

}  // namespace dlscale::analysis
