// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/breakdown.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "analysis/metrics/scaling/run_points.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using test::frame_of;
using test::run_at;

}  // namespace

TEST_CASE("shares of the step parts add up to 1") {
  const Frame frame = frame_of({run_at(1, 100), run_at(2, 130)});
  for (const Breakdown& breakdown : breakdowns(scaling_curves(frame))) {
    CHECK(std::accumulate(breakdown.share.begin(), breakdown.share.end(), 0.0) == Approx(1));
    CHECK(breakdown.closure == Approx(1));
    CHECK(breakdown.share[3] == Approx(0.6));
  }
}

TEST_CASE("repeats are added up before shares are computed") {
  RunRow slow = run_at(1, 100, "ddp", 1);
  RunRow fast = run_at(1, 400, "ddp", 2);
  slow.steps.parts_s = {slow.steps.wall_s, 0, 0, 0, 0, 0, 0, 0};
  fast.steps.parts_s = {0, 0, fast.steps.wall_s, 0, 0, 0, 0, 0};
  const Frame frame = frame_of({slow, fast});
  const Breakdown breakdown = breakdowns(scaling_curves(frame)).at(0);
  CHECK(breakdown.n == 2);
  CHECK(breakdown.share[0] == Approx(0.8));
  CHECK(breakdown.share[2] == Approx(0.2));
}

TEST_CASE("closure is the fraction of the slowest rank's time that the parts explain") {
  RunRow run = run_at(2, 100);
  run.steps.parts_s = {0, 0, 0.9 * run.steps.wall_s, 0, 0, 0, 0, 0};
  const Frame frame = frame_of({run});
  CHECK(breakdowns(scaling_curves(frame)).at(0).closure == Approx(0.9));
}

TEST_CASE("runs without recorded parts have no breakdown") {
  RunRow run = run_at(1, 100);
  run.steps.parts_s = {};
  const Frame frame = frame_of({run});
  CHECK(breakdowns(scaling_curves(frame)).empty());
}

TEST_CASE("runs that recorded only the part other have no breakdown") {
  RunRow run = run_at(1, 1000);
  run.steps.parts_s = {0, 0, 0, 0, 0, 0, 0, run.steps.wall_s};
  CHECK(breakdowns(scaling_curves(frame_of({run}))).empty());
  const std::vector<Breakdown> found = breakdowns(scaling_curves(frame_of({run, run_at(2, 1000)})));
  REQUIRE(found.size() == 1);
  CHECK(found[0].gpus == 2);
}

TEST_CASE("a part without time in a third-party log was not recorded") {
  RunRow run = run_at(2, 100);
  CHECK(tells(run, contract::StepPart::forward));
  CHECK_FALSE(tells(run, contract::StepPart::load_wait));
  run.steps.parts_s = {};
  CHECK(tells(run, contract::StepPart::other));
  CHECK_FALSE(tells_bytes_sent(run));
  run.steps.bytes_sent = 1;
  CHECK(tells_bytes_sent(run));
}

TEST_CASE("each part in dlscale's own records was recorded, even without time") {
  RunRow run = run_at(1, 100);
  run.conditions["trainer"] = "0.1";
  for (int part = 0; part < contract::kStepParts; ++part) {
    CHECK(tells(run, static_cast<contract::StepPart>(part)));
  }
  CHECK(tells_bytes_sent(run));
}

TEST_CASE("a breakdown reports the parts of a point that were not recorded") {
  RunRow with_load = run_at(1, 100, "ddp", 2);
  with_load.steps.parts_s[0] = 0.1;
  const Frame frame = frame_of({run_at(1, 100), with_load, run_at(2, 200)});
  const auto found = breakdowns(scaling_curves(frame));
  REQUIRE(found.size() == 2);
  CHECK(found[0].reported[0]);  // one repeat recorded this part
  CHECK_FALSE(found[1].reported[0]);
  CHECK(found[1].reported[3]);
}

}  // namespace dlscale::analysis
