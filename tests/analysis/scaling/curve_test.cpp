// SPDX-License-Identifier: Apache-2.0
#include "analysis/scaling/curve.hpp"

#include <catch2/catch.hpp>

#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using test::frame_of;
using test::run_at;

RunRow with_batch(RunRow run, std::int64_t batch_per_gpu) {
  run.batch_per_gpu = batch_per_gpu;
  run.global_batch = batch_per_gpu * run.gpus;
  return run;
}

}  // namespace

TEST_CASE("a curve varies the GPU count alone, in the study's order of frameworks") {
  const Frame frame = frame_of({run_at(2, 1, "horovod"), run_at(2, 1), run_at(1, 1)});
  const auto curves = scaling_curves(frame);
  REQUIRE(curves.size() == 2);
  CHECK(value_of(curves[0].key, "framework") == "ddp");
  CHECK(curves[0].points.size() == 2);
  CHECK(curves[0].points[0].gpus == 1);
  CHECK(value_of(curves[1].key, "framework") == "horovod");
}

TEST_CASE("weak curves keep the batch per GPU, strong curves the global batch") {
  Frame frame = frame_of(
      {with_batch(run_at(1, 1), 64), with_batch(run_at(2, 1), 64), with_batch(run_at(2, 1), 32)});
  auto curves = scaling_curves(frame);
  REQUIRE(curves.size() == 2);
  CHECK(value_of(curves[0].key, "batch_per_gpu") == "32");
  CHECK(value_of(curves[1].key, "batch_per_gpu") == "64");
  frame.scaling = "strong";
  for (RunRow& run : frame.runs) run.point["global_batch"] = std::to_string(run.global_batch);
  curves = scaling_curves(frame);
  REQUIRE(curves.size() == 2);
  CHECK(value_of(curves[0].key, "global_batch") == "64");
  CHECK(curves[0].points.size() == 2);
  CHECK(value_of(curves[0].key, "batch_per_gpu").empty());
}

TEST_CASE("strong curves keep the batch that was asked for, also where it was rounded down") {
  Frame frame = frame_of(
      {with_batch(run_at(1, 1), 64), with_batch(run_at(2, 1), 32), with_batch(run_at(3, 1), 21)});
  frame.scaling = "strong";
  const auto check = [&] {
    const auto curves = scaling_curves(frame);
    REQUIRE(curves.size() == 1);
    CHECK(value_of(curves[0].key, "global_batch") == "64");
    CHECK(curves[0].points.size() == 3);
    CHECK(curves[0].points[2].repeats[0]->global_batch == 63);
    CHECK(has_uneven_batch(frame, frame.runs[2]));
    CHECK_FALSE(has_uneven_batch(frame, frame.runs[1]));
  };
  check();
  for (RunRow& run : frame.runs) run.point["global_batch"] = "64";
  check();
}

TEST_CASE("runs that did not complete are in no curve") {
  RunRow failed = run_at(4, 1);
  failed.outcome = "OutOfMemory";
  const Frame frame = frame_of({run_at(1, 1), failed});
  const auto curves = scaling_curves(frame);
  REQUIRE(curves.size() == 1);
  CHECK(curves[0].points.size() == 1);
}

TEST_CASE("throughput is samples over time, not a mean of rates") {
  RunRow run = run_at(1, 1);
  run.steps.samples = 300;
  run.steps.wall_s = 2;
  const Frame frame = frame_of({run});
  CHECK(throughput(scaling_curves(frame)[0].points[0]).value == Approx(150));
}

TEST_CASE("throughput of repeats is that of the median time and spans their range") {
  const Frame frame =
      frame_of({run_at(1, 100, "ddp", 1), run_at(1, 400, "ddp", 2), run_at(1, 200, "ddp", 3)});
  const Estimate x = throughput(scaling_curves(frame)[0].points[0]);
  CHECK(x.value == Approx(200));
  CHECK(x.n == 3);
  CHECK(x.interval.low == Approx(100));
  CHECK(x.interval.high == Approx(400));
}

TEST_CASE("repeats on different numbers of nodes make a curve incomparable") {
  RunRow spread = run_at(4, 1, "ddp", 2);
  spread.nodes = 4;
  const Frame frame = frame_of({run_at(4, 1, "ddp", 1), spread});
  CHECK(scaling_curves(frame)[0].mixed == "gpus=4 ran on 1 node and on 4 nodes");
}

TEST_CASE("only axes with several values vary") {
  const Frame frame = frame_of({run_at(1, 1), run_at(1, 1, "horovod")});
  const std::vector<std::string> axes = varying_axes(keys_of(scaling_curves(frame)));
  CHECK(axes == std::vector<std::string>{"framework"});
}

}  // namespace dlscale::analysis
