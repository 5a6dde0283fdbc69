// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/verdict.hpp"

#include <catch2/catch.hpp>

#include "analysis/metrics/scaling/recommendation.hpp"
#include "tests/analysis/metrics/statistics/noise.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::frame_of;
using test::nef_times;
using test::Noise;
using test::run_at;

/// Adds one run for each given time per sample.
void add_runs(Frame& frame, int gpus, const std::string& framework,
              const std::vector<double>& times) {
  int repetition = 0;
  for (const double time : times) {
    frame.runs.push_back(run_at(gpus, 1 / time, framework, ++repetition));
  }
}

/// Returns the published times for the given batches on 2 and 3 GPUs as a strong-scaling study.
Frame nef_frame(std::initializer_list<int> batches) {
  Frame frame = frame_of({});
  frame.scaling = "strong";
  for (const int batch : batches) {
    for (const int gpus : {2, 3}) {
      std::vector<double> times = nef_times(batch, gpus);
      for (double& time : times) time /= batch;
      const std::size_t first = frame.runs.size();
      add_runs(frame, gpus, "ddp", times);
      for (std::size_t i = first; i < frame.runs.size(); ++i) {
        frame.runs[i].run_id += "-b" + std::to_string(batch);
        frame.runs[i].global_batch = batch;
        frame.runs[i].point["global_batch"] = std::to_string(batch);
      }
    }
  }
  return frame;
}

Verdicts verdicts_of(const Frame& frame, bool allow_mixed = false) {
  return verdicts_between(scaling_curves(frame), allow_mixed);
}

}  // namespace

TEST_CASE("in the published comparisons 3 GPUs are faster only from batch 64") {
  const Frame frame = nef_frame({16, 32, 64, 128});
  const Verdicts verdicts = verdicts_of(frame);
  REQUIRE(verdicts.pairs.size() == 4);
  const Finding expected[] = {Finding::NotDistinguishable, Finding::NotDistinguishable,
                              Finding::Faster, Finding::Faster};
  const double ratios[] = {1.048, 1.142, 1.353, 1.273};
  for (std::size_t i = 0; i < 4; ++i) {
    const Verdict& one = verdicts.pairs[i];
    CHECK(one.axis == "gpus");
    CHECK(one.a.gpus == 3);
    CHECK(one.finding == expected[i]);
    CHECK(one.ratio.value == Approx(ratios[i]).margin(6e-4));
    CHECK(one.detectable.value() > 1);
  }
  CHECK(verdicts.pairs[2].adjusted_p.value() == Approx(4 * 0.00049).margin(1e-4));
}

TEST_CASE("without a difference at most 5 of 100 studies have a verdict") {
  Noise noise(Noise::Shape::Nef, 61);
  constexpr int kStudies = 150;
  int wrong = 0;
  for (int i = 0; i < kStudies; ++i) {
    Frame frame = frame_of({});
    for (const char* framework : {"ddp", "horovod", "deepspeed"}) {
      add_runs(frame, 2, framework, noise.times(6));
      add_runs(frame, 4, framework, noise.times(6));
    }
    const Verdicts verdicts = verdicts_of(frame);
    REQUIRE(verdicts.pairs.size() == 6);
    wrong += std::any_of(verdicts.pairs.begin(), verdicts.pairs.end(),
                         [](const Verdict& one) { return one.finding == Finding::Faster; });
  }
  INFO(wrong << " of " << kStudies);
  CHECK(wrong <= 0.05 * kStudies);
}

TEST_CASE("a clear difference is found and lists the faster configuration first") {
  Frame frame = frame_of({});
  add_runs(frame, 2, "ddp", {2.0, 2.1, 2.2, 2.05, 2.15, 2.25});
  add_runs(frame, 2, "horovod", {1.0, 1.1, 1.2, 1.05, 1.15, 1.25});
  const Verdicts verdicts = verdicts_of(frame);
  REQUIRE(verdicts.pairs.size() == 1);
  const Verdict& one = verdicts.pairs[0];
  CHECK(one.finding == Finding::Faster);
  CHECK(value_of(one.a.key, "framework") == "horovod");
  CHECK(one.cliffs_delta == 1);
  CHECK(one.p_of_logs == Approx(2 / 924.0));
  CHECK(one.ratio.interval.low > 1.5);
}

TEST_CASE("three repeats cannot give a verdict") {
  Frame frame = frame_of({});
  add_runs(frame, 2, "ddp", {2.0, 2.1, 2.2});
  add_runs(frame, 2, "horovod", {1.0, 1.1, 1.2});
  const Verdict one = verdicts_of(frame).pairs.at(0);
  CHECK(one.finding == Finding::TooFewRepeats);
  CHECK_FALSE(one.adjusted_p.has_value());
  CHECK_FALSE(one.detectable.has_value());
}

TEST_CASE("pairs with unequal conditions are rejected unless allowed") {
  Frame frame = frame_of({});
  add_runs(frame, 2, "ddp", {1, 2, 3, 4});
  add_runs(frame, 2, "horovod", {1, 2, 3, 4});
  for (RunRow& run : frame.runs) run.conditions["framework"] = run.point["framework"];
  CHECK(verdicts_of(frame).pairs.size() == 1);
  frame.runs.back().conditions["gpu"] = "K80";
  const Verdicts refused = verdicts_of(frame);
  CHECK(refused.pairs.empty());
  REQUIRE(refused.refused.size() == 1);
  CHECK_THAT(refused.refused[0], Contains("gpu is \"A100\" and \"K80\""));
  CHECK(verdicts_of(frame, true).pairs.size() == 1);
}

TEST_CASE("other models, batches and GPU counts of weak scaling are not compared") {
  Frame frame = frame_of({});
  add_runs(frame, 2, "ddp", {1, 2, 3, 4});
  add_runs(frame, 4, "ddp", {1, 2, 3, 4});
  CHECK(verdicts_of(frame).pairs.empty());
  frame.axes.push_back({"model", {"vgg16", "mlp"}});
  for (RunRow& run : frame.runs) run.point["model"] = run.gpus == 2 ? "vgg16" : "mlp";
  for (RunRow& run : frame.runs) run.gpus = 2;
  CHECK(verdicts_of(frame).pairs.empty());
  CHECK(changes_work("dataset.size"));
  CHECK_FALSE(changes_work("loader"));
}

TEST_CASE("points that differ only in their batch are compared apart from other pairs") {
  const Frame frame = nef_frame({32, 64});
  const Verdicts batches = batch_verdicts(scaling_curves(frame), false);
  REQUIRE(batches.pairs.size() == 2);  // on 2 and on 3 GPUs
  CHECK(batches.pairs[0].axis == "global_batch");
  CHECK(batches.pairs[0].a.gpus == batches.pairs[0].b.gpus);
  CHECK(batch_verdicts(scaling_curves(nef_frame({32})), false).pairs.empty());
  Frame other = nef_frame({32, 64});
  for (RunRow& run : other.runs) {
    if (run.global_batch == 64) run.conditions["gpu"] = "K80";
  }
  const Verdicts refused = batch_verdicts(scaling_curves(other), false);
  CHECK(refused.pairs.empty());
  CHECK_THAT(refused.refused_axes.at("global_batch"), Contains("gpu is \"A100\" and \"K80\""));
}

TEST_CASE("the recommendation for a budget is the fastest with its equals") {
  const Frame frame = nef_frame({16, 64});
  const std::vector<Recommendation> list = recommendations(scaling_curves(frame));
  REQUIRE(list.size() == 4);
  CHECK(value_of(list[0].work, "global_batch") == "16");
  CHECK(list[0].budget_gpus == 2);
  CHECK(list[0].fastest.gpus == 2);
  CHECK(list[0].as_fast.empty());
  CHECK_FALSE(list[0].equal_p.has_value());  // there is only one candidate
  CHECK(list[3].equal_p.value() < 0.01);
  CHECK(list[1].fastest.gpus == 3);
  REQUIRE(list[1].as_fast.size() == 1);
  CHECK(list[1].as_fast[0].gpus == 2);
  CHECK(list[3].fastest.gpus == 3);
  CHECK(list[3].as_fast.empty());
  CHECK(recommendations({}).empty());
}

TEST_CASE("for two candidates, the p value of equality agrees with the list of equals") {
  Frame frame = frame_of({});
  add_runs(frame, 1, "ddp", {2.0, 2.1, 2.2, 1.4});
  add_runs(frame, 2, "ddp", {1.0, 1.1, 1.2, 1.5});
  const Recommendation both = recommendations(scaling_curves(frame)).at(1);
  REQUIRE(both.as_fast.size() == 1);
  // The chi-squared approximation of Kruskal and Wallis' test would give 0.043.
  CHECK(both.equal_p.value() == Approx(4.0 / 70));
}

TEST_CASE("single runs have no equals, because they were not tested") {
  const Frame single = frame_of({run_at(1, 100), run_at(1, 99, "horovod"), run_at(2, 150)});
  const std::vector<Recommendation> list = recommendations(scaling_curves(single));
  REQUIRE(list.size() == 2);
  CHECK(list[0].fastest.gpus == 1);
  CHECK(list[0].as_fast.empty());
  REQUIRE(list[0].untested.size() == 1);
  CHECK(value_of(list[0].untested[0].key, "framework") == "horovod");
  CHECK(list[1].untested.size() == 2);
  CHECK_FALSE(list[1].equal_p.has_value());
}

TEST_CASE("runs with different stop rules are not compared, even if the rule is the axis") {
  Frame frame = frame_of({});
  frame.axes.push_back({"stop_rule", {"epochs", "target"}});
  add_runs(frame, 2, "ddp", {1, 2, 3, 4, 1, 2, 3, 4});
  for (std::size_t i = 0; i < frame.runs.size(); ++i) {
    frame.runs[i].point["stop_rule"] = frame.runs[i].conditions["stop_rule"] =
        i < 4 ? "epochs" : "target";
  }
  const Verdicts verdicts = verdicts_of(frame);
  CHECK(verdicts.pairs.empty());
  REQUIRE(verdicts.refused.size() == 1);
  CHECK_THAT(verdicts.refused[0], Contains("stop_rule is \"epochs\" and \"target\""));
  CHECK(verdicts_of(frame, true).pairs.size() == 1);
}

}  // namespace dlscale::analysis
