// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/curve.hpp"

#include <catch2/catch.hpp>

#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using test::frame_of;
using test::run_at;

/// Returns a run of a third-party program with the given batch sizes. The value 0 means that a
/// batch size is unknown.
RunRow told(int gpus, std::int64_t batch_per_gpu, std::int64_t global_batch) {
  RunRow run = run_at(gpus, 100);
  run.batch_per_gpu = batch_per_gpu;
  run.global_batch = batch_per_gpu > 0 ? batch_per_gpu * gpus : global_batch;
  if (batch_per_gpu > 0) run.point["batch_per_gpu"] = std::to_string(batch_per_gpu);
  if (global_batch > 0) run.point["global_batch"] = std::to_string(global_batch);
  return run;
}

/// Returns a run on `gpus` GPUs. The number of nodes is an axis of the run.
RunRow placed(int gpus, int nodes) {
  RunRow run = run_at(gpus, 100.0 * gpus);
  run.run_id += "-n" + std::to_string(nodes);
  run.nodes = nodes;
  run.point["nodes"] = std::to_string(nodes);
  return run;
}

/// Returns the value of `axis` for each curve.
std::vector<std::string> values_in(const Frame& frame, const std::string& axis) {
  std::vector<std::string> values;
  for (const ScalingCurve& curve : scaling_curves(frame)) {
    values.push_back(value_of(curve.key, axis));
  }
  return values;
}

using Texts = std::vector<std::string>;

RunRow with_batch(RunRow run, std::int64_t batch_per_gpu) {
  run.batch_per_gpu = batch_per_gpu;
  run.global_batch = batch_per_gpu * run.gpus;
  return run;
}

}  // namespace

TEST_CASE("a curve varies only the GPU count, in the study's order of frameworks") {
  const Frame frame = frame_of({run_at(2, 1, "horovod"), run_at(2, 1), run_at(1, 1)});
  const auto curves = scaling_curves(frame);
  REQUIRE(curves.size() == 2);
  CHECK(value_of(curves[0].key, "framework") == "ddp");
  CHECK(curves[0].points.size() == 2);
  CHECK(curves[0].points[0].gpus == 1);
  CHECK(value_of(curves[1].key, "framework") == "horovod");
}

TEST_CASE("weak curves keep the batch per GPU, and strong curves keep the global batch") {
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

TEST_CASE("strong curves keep the requested batch, even if it was rounded down") {
  Frame frame = frame_of(
      {with_batch(run_at(1, 1), 64), with_batch(run_at(2, 1), 32), with_batch(run_at(3, 1), 21)});
  frame.scaling = "strong";
  const auto check = [&] {
    const auto curves = scaling_curves(frame);
    REQUIRE(curves.size() == 1);
    CHECK(value_of(curves[0].key, "global_batch") == "64");
    CHECK(curves[0].points.size() == 3);
    CHECK(curves[0].points[2].repeats[0]->global_batch == 63);
    CHECK(CurveKeys(frame).has_uneven_batch(frame.runs[2]));
    CHECK_FALSE(CurveKeys(frame).has_uneven_batch(frame.runs[1]));
  };
  check();
  for (RunRow& run : frame.runs) run.point["global_batch"] = "64";
  check();
}

TEST_CASE("runs with an unknown batch join no other curve and get no invented batch") {
  Frame frame = frame_of({told(1, 0, 64), told(1, 0, 128), told(2, 0, 128), told(4, 0, 0)});
  frame.scaling = "strong";
  CHECK(values_in(frame, "global_batch") == Texts{"64", "128", ""});
  const CurveKeys keys(frame);
  CHECK(keys.has_unknown_batch(frame.runs[3]));
  CHECK_FALSE(keys.has_uneven_batch(frame.runs[3]));
  CHECK(to_string(keys.of(frame.runs[3])) == "framework=ddp, global_batch unknown");
  CHECK(keeps_global_batch(keys.of(frame.runs[3])));
  frame.scaling = "weak";
  frame.runs = {told(1, 64, 0), told(2, 64, 0), told(4, 0, 0)};
  CHECK(values_in(frame, "batch_per_gpu") == Texts{"64", ""});
}

TEST_CASE("runs with a batch per GPU have the resulting global batch") {
  Frame frame = frame_of({told(1, 0, 128), told(2, 32, 0), told(4, 32, 0)});
  frame.scaling = "strong";
  CHECK(values_in(frame, "global_batch") == Texts{"64", "128"});
  frame.runs = {told(1, 64, 0), told(2, 32, 0), told(4, 64, 0)};
  CHECK(values_in(frame, "global_batch") == Texts{"64", "256"});
  for (const RunRow& run : frame.runs) CHECK_FALSE(CurveKeys(frame).has_uneven_batch(run));
}

TEST_CASE("a global batch that GPUs cannot share evenly differs from a rounded one") {
  Frame frame = frame_of({told(1, 0, 12), told(2, 0, 25), told(8, 0, 100), told(3, 0, 12)});
  frame.runs[0].batch_per_gpu = 12;
  frame.runs[3].batch_per_gpu = 4;
  CHECK(values_in(frame, "batch_per_gpu") == Texts{"4", "12", "12.5"});
  CHECK(scaling_curves(frame)[2].points.size() == 2);
  frame.runs[1].point["accumulation_steps"] = frame.runs[2].point["accumulation_steps"] = "2";
  CHECK(values_in(frame, "batch_per_gpu") == Texts{"6.25", "4", "12"});
}

TEST_CASE("a curve can extend over nodes like over GPUs") {
  const Frame frame = frame_of({placed(4, 1), placed(8, 2), placed(16, 4)});
  const auto curves = scaling_curves(frame);
  REQUIRE(curves.size() == 1);
  CHECK(curves[0].points.size() == 3);
  CHECK(curves[0].points[2].nodes == 4);
  CHECK(value_of(curves[0].key, "nodes").empty());
}

TEST_CASE("a GPU count on several node counts splits only its own curve") {
  Frame frame = frame_of({placed(4, 1), placed(4, 2), placed(8, 2)});
  for (const int nodes : {1, 2}) {
    frame.runs.push_back(placed(4 * nodes, nodes));
    frame.runs.back().point["framework"] = "horovod";
  }
  CHECK(values_in(frame, "nodes") == Texts{"1", "2", ""});
  CHECK(scaling_curves(frame)[1].points.size() == 2);
  CHECK(scaling_curves(frame)[2].points.size() == 2);
  RunRow& failed = frame.runs[1];
  failed.outcome = "Failed";
  CHECK(values_in(frame, "nodes") == Texts{"", ""});
}

TEST_CASE("incomplete runs are in no curve") {
  RunRow failed = run_at(4, 1);
  failed.outcome = "OutOfMemory";
  const Frame frame = frame_of({run_at(1, 1), failed});
  const auto curves = scaling_curves(frame);
  REQUIRE(curves.size() == 1);
  CHECK(curves[0].points.size() == 1);
}

TEST_CASE("throughput is total samples over total time instead of a mean of rates") {
  RunRow run = run_at(1, 1);
  run.steps.samples = 300;
  run.steps.wall_s = 2;
  const Frame frame = frame_of({run});
  CHECK(throughput(scaling_curves(frame)[0].points[0]).value == Approx(150));
}

TEST_CASE("throughput of repeats is that of the median time with the range of the repeats") {
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
  CHECK(scaling_curves(frame)[0].mixed == "some runs with gpus=4 used 1 node, others used 4 nodes");
}

TEST_CASE("only axes with several values vary") {
  const Frame frame = frame_of({run_at(1, 1), run_at(1, 1, "horovod")});
  const std::vector<std::string> axes = varying_axes(keys_of(scaling_curves(frame)));
  CHECK(axes == std::vector<std::string>{"framework"});
}

TEST_CASE("an axis that only some keys have varies") {
  RunRow profiled = run_at(1, 1);
  profiled.point["profile"] = "true";
  const Frame frame = frame_of({run_at(1, 1), profiled});
  CHECK(varying_axes(keys_of(scaling_curves(frame))) == std::vector<std::string>{"profile"});
  CHECK(varying_axes({{{"profile", "true"}}, {{"profile", "true"}}}).empty());
}

TEST_CASE("the short name of an axis is the shortest end that no other axis has") {
  const std::string axis = "models.frozen_backbone.backbone";
  CHECK(short_axis(axis, {}) == "backbone");
  CHECK(short_axis(axis, {axis, "model"}) == "backbone");
  CHECK(short_axis(axis, {"models.other.backbone"}) == "frozen_backbone.backbone");
  CHECK(short_axis(axis, {"backbone"}) == "frozen_backbone.backbone");
  CHECK(short_axis(axis, {"my_backbone"}) == "backbone");
  CHECK(short_axis(axis, {"other." + axis}) == axis);
  CHECK(short_axis("loader", {}) == "loader");
  for (const char* whole : {"optimizer.kind", "lr.base", "models.mlp.gpus", ".x.", "a."}) {
    CHECK_THAT(short_axis(whole, {}), Catch::Contains("."));
  }
}

TEST_CASE("a key is named with short names, without the axes that it does not have") {
  const CurveKey wide{{"model", "a"}, {"models.a.hidden", "64"}, {"batch_per_gpu", ""}};
  const CurveKey deep{{"model", "b"}, {"models.b.depth", "4"}, {"batch_per_gpu", "8"}};
  const std::vector<std::string> axes = varying_axes({wide, deep});
  CHECK(name_among(wide, axes) == "model=a, hidden=64, batch_per_gpu unknown");
  CHECK(name_among(deep, axes) == "model=b, batch_per_gpu=8, depth=4");
  CHECK(name_among(deep, {}) == "model=b, depth=4, batch_per_gpu=8");
  CHECK(name_among(wide, {"models.b.hidden"}) == "no b.hidden");
  CHECK(name_among({{"training.weights", ""}, {"gpus", "2"}}, {}) == "no training.weights, gpus=2");
}

}  // namespace dlscale::analysis
