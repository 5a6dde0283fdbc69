// SPDX-License-Identifier: Apache-2.0
#include "analysis/scaling/baseline.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::frame_of;
using test::run_at;

Frame two_curves() {
  return frame_of({run_at(1, 100), run_at(2, 190), run_at(4, 350), run_at(2, 200, "horovod"),
                   run_at(4, 380, "horovod")});
}

}  // namespace

TEST_CASE("the smallest common count is the smallest that all curves have") {
  const Frame frame = two_curves();
  const auto choices = choose_baselines(scaling_curves(frame), {"smallest-common", 0}, false);
  REQUIRE(choices.size() == 2);
  CHECK(choices[0].baseline->gpus() == 2);
  CHECK(choices[1].baseline->gpus() == 2);
}

TEST_CASE("a baseline per curve is each curve's own smallest count") {
  const Frame frame = two_curves();
  const auto choices = choose_baselines(scaling_curves(frame), {"per-curve", 0}, false);
  CHECK(choices[0].baseline->gpus() == 1);
  CHECK(choices[1].baseline->gpus() == 2);
}

TEST_CASE("a curve without the chosen baseline is named together with what it has") {
  const Frame frame = two_curves();
  const auto choices = choose_baselines(scaling_curves(frame), {"gpus", 1}, false);
  CHECK(choices[0].baseline.has_value());
  CHECK_FALSE(choices[1].baseline.has_value());
  CHECK_THAT(choices[1].problem,
             Contains("gpus=1") && Contains("framework=horovod") && Contains("(it has gpus=2, 4)"));
  CHECK_NOTHROW(require_baseline(choices));
}

TEST_CASE("a baseline that no curve has is a usage error naming the point") {
  const Frame frame = two_curves();
  const auto choices = choose_baselines(scaling_curves(frame), {"gpus", 16}, false);
  CHECK_THROWS_AS(require_baseline(choices), base::UsageError);
  CHECK_THROWS_WITH(require_baseline(choices), Contains("baseline gpus=16"));
}

TEST_CASE("curves that share no count have no common baseline") {
  const Frame frame = frame_of({run_at(1, 100), run_at(2, 200, "horovod")});
  const auto choices = choose_baselines(scaling_curves(frame), {"smallest-common", 0}, false);
  CHECK_THAT(choices[0].problem, Contains("share no GPU count") && Contains("per-curve"));
}

TEST_CASE("runs on different devices have no baseline unless told") {
  RunRow other = run_at(2, 400);
  other.conditions["gpu"] = "P100";
  const Frame frame = frame_of({run_at(1, 100), other});
  const auto curves = scaling_curves(frame);
  const auto refused = choose_baselines(curves, {"smallest-common", 0}, false);
  CHECK_FALSE(refused[0].baseline.has_value());
  CHECK_THAT(refused[0].problem,
             Contains("gpu is \"A100\" at gpus=1 but \"P100\" at gpus=2") && Contains("--mixed"));
  CHECK(choose_baselines(curves, {"smallest-common", 0}, true)[0].baseline.has_value());
}

TEST_CASE("baseline rules are read from text") {
  CHECK(parse_baseline("gpus=4") == contract::BaselineRule{"gpus", 4});
  CHECK(parse_baseline("per-curve") == contract::BaselineRule{"per-curve", 0});
  CHECK(parse_baseline("smallest-common") == contract::BaselineRule{"smallest-common", 0});
}

TEST_CASE("a text that is no baseline rule is a usage error") {
  CHECK_THROWS_WITH(parse_baseline("percurve"), Contains("did you mean \"per-curve\""));
  CHECK_THROWS_AS(parse_baseline("gpus=0"), base::UsageError);
  CHECK_THROWS_AS(parse_baseline("gpus=4x"), base::UsageError);
  CHECK_THROWS_AS(parse_baseline(""), base::UsageError);
}

}  // namespace dlscale::analysis
