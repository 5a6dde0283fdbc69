// SPDX-License-Identifier: Apache-2.0
// Tests of the standard deviation of step times, from the measured records to the predictions.
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "contract/records/calibration.hpp"
#include "tests/cli/planned_demo.hpp"
#include "tests/cli/told_rows.hpp"

using namespace dlscale;
using Catch::Contains;

namespace {

/// Demo study with windows of one step that compute for 90 ms and 110 ms alternately. On several
/// GPUs, collectives take 40 ms of each step. For `wait_s` of this time, a rank waits for other
/// ranks. 30 ms of the 40 ms delay the step.
struct ApartDemo : test::PlannedDemo {
  explicit ApartDemo(double wait_s = 0.02, int windows = 20) {
    for (const auto& run : contract::read_plan(folder).runs) {
      contract::RunStart start;
      start.run_id = run.run_id;
      start.time = 1000;
      start.world_size = run.gpus;
      start.environment = {{"cpu", "a CPU"}, {"task", "classification"}};
      std::vector<contract::ResultRecord> records{start};
      for (int i = 0; i < windows; ++i) records.push_back(window(i, run.gpus, wait_s));
      contract::RunStop stop;
      stop.time = 1010;
      records.push_back(stop);
      launch(run.run_id, records);
    }
    REQUIRE(dlscale.run({"collect", "demo", "--no-tables"}).exit_code == 0);
    calibrated = dlscale.run({"calibrate", "demo", "-o", "c.json"});
    INFO(calibrated.err);
    REQUIRE(calibrated.exit_code == 0);
    calibration = contract::calibration_from_json(base::read_file(dlscale.folder / "c.json"), "c");
  }

  static contract::StepWindow window(int number, int gpus, double wait_s) {
    contract::StepWindow window;
    window.first_step = number;
    window.steps = 1;
    window.warmup = number == 0;
    window.samples = 32 * gpus;
    const double parts[] = {0, 0, 0.03, number % 2 == 0 ? 0.06 : 0.08, gpus > 1 ? 0.03 : 0,
                            0, 0, 0};
    for (std::size_t i = 0; i < std::size(parts); ++i) {
      window.parts[i].mean = parts[i];
      window.wall_s += parts[i];
    }
    if (gpus < 2) return window;
    window.bytes_sent = 1e6;
    window.comm_busy_s.mean = 0.04;
    window.comm_wait_s.mean = wait_s;
    return window;
  }

  double deviation_on(int ranks) const {
    for (const contract::ComputeTime& time : calibration.compute) {
      if (time.ranks_on_node == ranks) return time.deviation_s;
    }
    FAIL("no step of so many ranks");
    return 0;
  }
  double hidden() const { return calibration.exchange.at(0).hidden; }

  test::Ran calibrated;
  contract::Calibration calibration;
};

const double kSquareRootOfPi = std::sqrt(std::numbers::pi);

}  // namespace

TEST_CASE("windows of one rank give the deviation of its step times") {
  const ApartDemo demo;
  // The faster of two ranks waits 20 ms in half of the steps, so the mean wait is 10 ms. For two
  // normal step times, the mean wait is 1/√π of their standard deviation.
  CHECK(demo.deviation_on(1) == Approx(0.01 * kSquareRootOfPi));
  CHECK_THAT(demo.calibrated.out, Contains("Variation between the steps of a rank, as measured"));
}

TEST_CASE(
    "waiting time gives the deviation of several ranks and is subtracted from their all-reduces") {
  const ApartDemo demo, none(0);
  CHECK(demo.deviation_on(2) == Approx(0.02 * kSquareRootOfPi));
  CHECK(demo.hidden() == Approx(1 - 0.01 / 0.02));
  CHECK(none.deviation_on(2) == 0);
  CHECK(none.hidden() == Approx(1 - 0.03 / 0.04));
  REQUIRE(demo.calibration.all_reduce.size() == none.calibration.all_reduce.size());
  for (std::size_t i = 0; i < none.calibration.all_reduce.size(); ++i) {
    CHECK(demo.calibration.all_reduce[i].seconds ==
          Approx(none.calibration.all_reduce[i].seconds / 2));
  }
}

TEST_CASE("waiting time hidden behind the backward pass does not delay a step") {
  CHECK(ApartDemo(0.035).deviation_on(2) == Approx(0.03 * kSquareRootOfPi));
}

TEST_CASE("too few windows give a deviation of 0") {
  CHECK(ApartDemo(0.02, 5).deviation_on(1) == 0);
}

TEST_CASE("predicted ranks wait as long as the measured ranks, and a single rank does not wait") {
  ApartDemo demo;
  const test::Ran ran = demo.dlscale.run(
      {"predict", DLSCALE_SOURCE_DIR "/examples/studies/demo/study.toml", "--calibration", "c.json",
       "-S", "study.repeats=1", "-S", "matrix.lr_schedule='cosine'", "-S",
       "matrix.batch_per_gpu=32", "--format", "json"});
  const auto waiting_s = [&](int gpus) {
    const test::Row row = test::row_with(test::told_rows(ran, "predicted-times"),
                                         {{"framework", "ddp"}, {"gpus", gpus}});
    return test::number(row, "step_s") * test::number(row, "waiting_share");
  };
  CHECK(waiting_s(1) == 0);
  CHECK(waiting_s(2) == Approx(0.02));
  CHECK_THAT(ran.out,
             Contains("waiting for the slowest rank: from the variation between measured steps"));
}
