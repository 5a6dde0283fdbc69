// SPDX-License-Identifier: Apache-2.0
#include "forecast/measured_throughputs.hpp"

#include <catch2/catch.hpp>

#include "tests/analysis/support/repeated_runs.hpp"

using namespace dlscale;
using forecast::MeasuredThroughputs;

namespace {

contract::RunSpec planned(const std::string& command, int gpus, std::int64_t batch_per_gpu = 64) {
  contract::RunSpec run;
  run.trainer.command = command;
  run.gpus = gpus;
  run.batch_per_gpu = batch_per_gpu;
  run.global_batch = batch_per_gpu * gpus;
  return run;
}

/// Returns results in which the curve of a framework ran the command of the same name.
analysis::Frame measured() {
  analysis::Frame frame = test::frame_of({});
  test::add_repeats(frame, 1, 100, 3, "ddp");
  test::add_repeats(frame, 2, 180, 3, "ddp");
  test::add_repeats(frame, 1, 50, 3, "horovod");
  return frame;
}

/// Returns the throughputs of `frame`. `change` changes the descriptions of its runs.
MeasuredThroughputs throughputs_of(
    const analysis::Frame& frame,
    const std::function<void(contract::RunSpec&)>& change = [](contract::RunSpec&) {}) {
  return MeasuredThroughputs(
      frame, [&](const std::string& run_id) -> std::optional<contract::RunSpec> {
        for (const analysis::RunRow& run : frame.runs) {
          if (run.run_id != run_id) continue;
          contract::RunSpec spec = planned(run.point.at("framework"), run.gpus, run.batch_per_gpu);
          spec.global_batch = run.global_batch;
          spec.point = run.point;
          change(spec);
          return spec;
        }
        return std::nullopt;
      });
}

}  // namespace

TEST_CASE("runs of the same work get the measured throughput of their count") {
  const analysis::Frame frame = measured();
  const MeasuredThroughputs throughputs = throughputs_of(frame);
  CHECK(throughputs.of(planned("ddp", 1))->samples_per_s == Approx(100));
  CHECK(throughputs.of(planned("ddp", 2))->samples_per_s == Approx(180));
  CHECK(throughputs.of(planned("horovod", 1))->samples_per_s == Approx(50));
  CHECK(throughputs.of(planned("ddp", 4))->samples_per_s == Approx(360));
  CHECK(throughputs.of(planned("ddp", 4))->extrapolated);
}

TEST_CASE("runs with another batch or another command get no throughput") {
  const analysis::Frame frame = measured();
  const MeasuredThroughputs throughputs = throughputs_of(frame);
  CHECK_FALSE(throughputs.of(planned("ddp", 1, 32)));
  CHECK_FALSE(throughputs.of(planned("deepspeed", 1)));
}

TEST_CASE("a fixed parameter that differs from the measured one leaves a run without throughput") {
  const analysis::Frame frame = measured();
  const MeasuredThroughputs throughputs =
      throughputs_of(frame, [](contract::RunSpec& spec) { spec.parameters["width"] = "8"; });
  contract::RunSpec run = planned("ddp", 1);
  CHECK_FALSE(throughputs.of(run));
  run.parameters["width"] = "8";
  CHECK(throughputs.of(run)->samples_per_s == Approx(100));
  run.parameters["width"] = "800";
  CHECK_FALSE(throughputs.of(run));
}

TEST_CASE("several values of a parameter get the throughputs of the runs with these values") {
  const analysis::Frame frame = measured();
  const MeasuredThroughputs throughputs = throughputs_of(frame, [](contract::RunSpec& spec) {
    spec.parameters["width"] = spec.point.at("framework") == "ddp" ? "8" : "800";
    spec.trainer.command = "train";
  });
  contract::RunSpec run = planned("train", 1);
  run.parameters["width"] = "8";
  CHECK(throughputs.of(run)->samples_per_s == Approx(100));
  run.parameters["width"] = "800";
  CHECK(throughputs.of(run)->samples_per_s == Approx(50));
}

TEST_CASE("strong scaling compares the global batch") {
  analysis::Frame frame = test::frame_of({test::run_at(2, 100)});
  frame.scaling = "strong";
  frame.runs[0].global_batch = 256;
  const MeasuredThroughputs throughputs = throughputs_of(frame);
  contract::RunSpec run = planned("ddp", 4, 32);
  run.global_batch = 256;
  CHECK(throughputs.of(run)->samples_per_s == Approx(200));
  run.global_batch = 128;
  CHECK_FALSE(throughputs.of(run));
}

TEST_CASE("results without a batch or a description have no throughputs") {
  analysis::Frame frame = test::frame_of({test::run_at(1, 100)});
  const MeasuredThroughputs undescribed(frame, [](const std::string&) { return std::nullopt; });
  CHECK_FALSE(undescribed.of(planned("ddp", 1)));
  CHECK(throughputs_of(frame).of(planned("ddp", 1, frame.runs[0].batch_per_gpu)));
  frame.runs[0].batch_per_gpu = 0;
  CHECK_FALSE(throughputs_of(frame).of(planned("ddp", 1, 0)));
}

TEST_CASE("runs of different code have no throughput, and equal code is named") {
  analysis::Frame frame = measured();
  for (analysis::RunRow& run : frame.runs) run.conditions["code"] = "commit 1";
  CHECK(throughputs_of(frame).code_of(planned("ddp", 1)) == std::set<std::string>{"commit 1"});
  frame.runs.front().conditions["code"] = "commit 2";
  CHECK_FALSE(throughputs_of(frame).of(planned("ddp", 1)));
  CHECK(throughputs_of(frame).of(planned("horovod", 1)));
}
