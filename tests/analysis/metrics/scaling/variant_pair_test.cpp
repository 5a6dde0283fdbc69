// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/variant_pair.hpp"

#include <catch2/catch.hpp>

#include "tests/analysis/metrics/statistics/noise.hpp"
#include "tests/analysis/support/repeated_runs.hpp"

namespace dlscale::analysis {
namespace {

using test::add_accurate_repeats;
using test::add_repeats;
using test::frame_of;

std::vector<VariantContest> speed_contests(const Frame& frame) {
  return contests(speed_pairs(verdicts_between(scaling_curves(frame), false)));
}

}  // namespace

TEST_CASE("the faster value wins from the smallest count at which a test finds it faster") {
  Frame frame = frame_of({});
  for (const int gpus : {1, 2, 4}) add_repeats(frame, gpus, 100.0 * gpus, 6, "horovod");
  add_repeats(frame, 1, 100, 6, "ddp");
  add_repeats(frame, 2, 220, 6, "ddp");
  add_repeats(frame, 4, 480, 6, "ddp");
  const std::vector<VariantContest> list = speed_contests(frame);
  REQUIRE(list.size() == 1);
  CHECK(list[0].axis == "framework");
  CHECK(list[0].a == "ddp");
  CHECK(list[0].b == "horovod");
  CHECK(list[0].finding == Finding::Faster);
  CHECK(list[0].from_gpus == 2);
  CHECK(list[0].last_gpus == 4);
  REQUIRE(list[0].advantages.size() == 1);
  CHECK(list[0].advantages[0].value == Approx(1.2).margin(0.01));
  CHECK(list[0].advantages[0].interval.low > 1.1);
}

TEST_CASE("equal values and too few repeats decide nothing") {
  Frame equal = frame_of({});
  add_repeats(equal, 2, 200, 6, "ddp");
  add_repeats(equal, 2, 200, 6, "horovod");
  CHECK(speed_contests(equal).at(0).finding == Finding::NotDistinguishable);
  Frame few = frame_of({});
  add_repeats(few, 2, 200, 3, "ddp");
  add_repeats(few, 2, 400, 3, "horovod");
  CHECK(speed_contests(few).at(0).finding == Finding::TooFewRepeats);
  CHECK(speed_contests(few).at(0).a == "horovod");
}

TEST_CASE("several configurations with few repeats can decide together") {
  Frame frame = frame_of({});
  for (const char* schedule : {"step", "cosine"}) {
    for (const auto& [framework, rate] : {std::pair{"ddp", 220.0}, std::pair{"horovod", 200.0}}) {
      const std::size_t first = frame.runs.size();
      add_repeats(frame, 2, rate, 3, framework);
      for (std::size_t i = first; i < frame.runs.size(); ++i) {
        frame.runs[i].point["lr_schedule"] = schedule;
        frame.runs[i].run_id += schedule;
      }
    }
  }
  const std::vector<VariantContest> list = speed_contests(frame);
  REQUIRE(list.size() == 2);
  for (const VariantContest& one : list) {
    const bool is_framework = one.axis == "framework";
    CHECK(one.finding == (is_framework ? Finding::Faster : Finding::NotDistinguishable));
    CHECK(one.advantages.size() == 2);
  }
}

TEST_CASE("at most 5 of 100 studies without a difference have a faster variant") {
  test::Noise noise(test::Noise::Shape::Nef, 17);
  constexpr int kStudies = 200;
  int wrong = 0;
  for (int i = 0; i < kStudies; ++i) {
    Frame frame = frame_of({});
    for (const char* framework : {"ddp", "horovod", "deepspeed"}) {
      for (const int gpus : {2, 4}) {
        int repetition = 0;
        for (const double time : noise.times(6)) {
          frame.runs.push_back(test::run_at(gpus, 1 / time, framework, ++repetition));
        }
      }
    }
    const std::vector<VariantContest> list = speed_contests(frame);
    wrong += std::any_of(list.begin(), list.end(),
                         [](const VariantContest& one) { return one.finding == Finding::Faster; });
  }
  // 8 % is 5 % plus about twice the standard deviation of the binomial distribution.
  CHECK(wrong <= kStudies * 8 / 100);
}

TEST_CASE("the more accurate value wins at equal counts and batches") {
  Frame frame = frame_of({});
  add_accurate_repeats(frame, 2, 0.92, 6, "ddp");
  add_accurate_repeats(frame, 2, 0.90, 6, "horovod");
  add_accurate_repeats(frame, 4, 0.99, 6, "horovod");
  const std::vector<VariantContest> list = contests(accuracy_pairs(accuracy_points(frame)));
  REQUIRE(list.size() == 1);
  CHECK(list[0].a == "ddp");
  CHECK(list[0].finding == Finding::Faster);
  CHECK(list[0].last_gpus == 2);
  CHECK(list[0].advantages.at(0).value == Approx(0.02).margin(1e-6));
}

TEST_CASE("accuracies on different data sets are not compared") {
  Frame frame = frame_of({});
  add_accurate_repeats(frame, 2, 0.92, 6, "ddp");
  add_accurate_repeats(frame, 2, 0.90, 6, "horovod");
  for (RunRow& run : frame.runs) run.conditions["dataset"] = run.point["framework"];
  CHECK(accuracy_pairs(accuracy_points(frame)).empty());
}

}  // namespace dlscale::analysis
