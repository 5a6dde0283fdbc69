// SPDX-License-Identifier: Apache-2.0
#include "forecast/measured_throughputs.hpp"

#include <catch2/catch.hpp>

#include "planner/jobs/run_times.hpp"
#include "tests/analysis/support/repeated_runs.hpp"

using namespace dlscale;

namespace {

const std::vector<contract::Axis> kAxes{{"framework", {"ddp", "horovod"}}, {"gpus", {"1", "2"}}};

contract::RunSpec planned(const std::string& framework, int gpus, std::int64_t batch_per_gpu = 64) {
  contract::RunSpec run;
  run.framework = framework;
  run.gpus = gpus;
  run.batch_per_gpu = batch_per_gpu;
  run.point = {{"framework", framework}, {"gpus", std::to_string(gpus)}};
  return run;
}

analysis::Frame measured() {
  analysis::Frame frame = test::frame_of({});
  test::add_repeats(frame, 1, 100, 3, "ddp");
  test::add_repeats(frame, 2, 180, 3, "ddp");
  test::add_repeats(frame, 1, 50, 3, "horovod");
  return frame;
}

}  // namespace

TEST_CASE("each measured configuration and count has a row that the planner reads") {
  const planner::Calibration rows(forecast::throughput_rows(measured(), kAxes), "rows");
  CHECK(rows.throughput(planned("ddp", 1))->samples_per_s == Approx(100));
  CHECK(rows.throughput(planned("ddp", 2))->samples_per_s == Approx(180));
  CHECK(rows.throughput(planned("horovod", 1))->samples_per_s == Approx(50));
}

TEST_CASE("runs with another batch or another configuration get no throughput") {
  const planner::Calibration rows(forecast::throughput_rows(measured(), kAxes), "rows");
  CHECK_FALSE(rows.throughput(planned("ddp", 1, 32)));
  CHECK_FALSE(rows.throughput(planned("deepspeed", 1)));
}

TEST_CASE("rows that the axes of the study cannot distinguish are left out") {
  const std::vector<contract::Axis> only_gpus{{"gpus", {"1", "2"}}};
  const planner::Calibration rows(forecast::throughput_rows(measured(), only_gpus), "rows");
  CHECK(rows.throughput(planned("ddp", 2))->samples_per_s == Approx(180));
  CHECK(rows.throughput(planned("ddp", 1))->extrapolated);
}

TEST_CASE("an axis with a dot in its name must have the measured value alone") {
  analysis::Frame frame = test::frame_of({test::run_at(1, 100)});
  frame.runs[0].point["parameters.width"] = "8";
  const auto rows_for = [&](const std::vector<std::string>& widths) {
    std::vector<contract::Axis> axes = kAxes;
    axes.push_back({"parameters.width", widths});
    return forecast::throughput_rows(frame, axes);
  };
  const planner::Calibration same(rows_for({"8"}), "rows");
  CHECK(same.throughput(planned("ddp", 1))->samples_per_s == Approx(100));
  CHECK(rows_for({"800"}).empty());
  CHECK(rows_for({"8", "800"}).empty());
  frame.runs[0].point.erase("parameters.width");
  CHECK(rows_for({"8"}).empty());
}

TEST_CASE("a run without a known value on an axis of the study has no row") {
  analysis::Frame frame = test::frame_of({test::run_at(1, 100)});
  std::vector<contract::Axis> axes = kAxes;
  axes.push_back({"precision", {"bf16"}});
  CHECK(forecast::throughput_rows(frame, axes).empty());
  frame.runs[0].conditions["precision"] = "fp32";
  const planner::Calibration rows(forecast::throughput_rows(frame, axes), "rows");
  contract::RunSpec run = planned("ddp", 1);
  run.point["precision"] = "fp32";
  CHECK(rows.throughput(run)->samples_per_s == Approx(100));
  run.point["precision"] = "bf16";
  CHECK_FALSE(rows.throughput(run));
}

TEST_CASE("strong scaling compares the global batch") {
  analysis::Frame frame = test::frame_of({test::run_at(2, 100)});
  frame.scaling = "strong";
  frame.runs[0].global_batch = 256;
  const planner::Calibration rows(forecast::throughput_rows(frame, kAxes), "rows");
  contract::RunSpec run = planned("ddp", 4, 32);
  run.global_batch = 256;
  CHECK(rows.throughput(run)->samples_per_s == Approx(200));
  run.global_batch = 128;
  CHECK_FALSE(rows.throughput(run));
}

TEST_CASE("results without a throughput or a batch have no rows") {
  CHECK(forecast::throughput_rows(test::frame_of({}), kAxes).empty());
  analysis::Frame frame = test::frame_of({test::run_at(1, 100)});
  frame.runs[0].batch_per_gpu = 0;
  CHECK(forecast::throughput_rows(frame, kAxes).empty());
}
