// SPDX-License-Identifier: Apache-2.0
#include "workspace/status/time_left.hpp"

#include <catch2/catch.hpp>
#include <deque>
#include <string>

using namespace dlscale;
using runner::JobState;
using workspace::ShownRun;
using workspace::time_left;

namespace {

/// List of runs of points a, b, …, with their elapsed times.
class TimedRuns {
 public:
  ShownRun& add(const std::string& point, JobState state, double elapsed_s, double share) {
    contract::PlannedRun& run = planned_.emplace_back();
    run.run_id = point + "-r" + std::to_string(planned_.size());
    ShownRun& shown = all.emplace_back(ShownRun{&run, state});
    if (elapsed_s > 0) shown.progress.elapsed_s = elapsed_s;
    shown.progress.share = share;
    return shown;
  }
  contract::PlannedRun& planned(std::size_t i) { return planned_[i]; }
  std::vector<ShownRun> all;

 private:
  std::deque<contract::PlannedRun> planned_;
};

}  // namespace

TEST_CASE("a running run is assumed to keep its average speed") {
  TimedRuns runs;
  runs.add("a", JobState::Running, 30, 0.25);
  CHECK(time_left(runs.all) == Approx(90));
}

TEST_CASE("waiting runs take as long as runs of their point, with the present parallelism") {
  TimedRuns runs;
  runs.add("a", JobState::Done, 100, 1);
  runs.add("b", JobState::Done, 20, 1);
  runs.add("a", JobState::Running, 50, 0.5);
  runs.add("b", JobState::Running, 10, 0.5);
  for (int i = 0; i < 4; ++i) runs.add("b", JobState::Queued, 0, 0);
  CHECK(time_left(runs.all) == Approx((50 + 10 + 4 * 20) / 2.0));
}

TEST_CASE("the time left is at least that of the longest running run") {
  TimedRuns runs;
  runs.add("a", JobState::Running, 100, 0.1);
  runs.add("b", JobState::Running, 100, 0.99);
  CHECK(time_left(runs.all) == Approx(900));
}

TEST_CASE("a prediction is scaled by the error of earlier predictions") {
  TimedRuns runs;
  runs.add("a", JobState::Done, 30, 1);
  runs.add("b", JobState::Running, 1, 0);
  runs.planned(0).predicted_s = 20;
  runs.planned(1).predicted_s = 40;
  CHECK(time_left(runs.all) == Approx(60 - 1));
}

TEST_CASE("a prediction without a completed run gives no time") {
  TimedRuns runs;
  runs.add("a", JobState::Running, 1, 0);
  runs.planned(0).predicted_s = 40;
  CHECK_FALSE(time_left(runs.all));
}

TEST_CASE("the time left is unknown if nothing runs or nothing is known") {
  TimedRuns idle;
  idle.add("a", JobState::Done, 30, 1);
  idle.add("a", JobState::Queued, 0, 0);
  CHECK_FALSE(time_left(idle.all));
  TimedRuns fresh;
  fresh.add("a", JobState::Running, 3, 0.001);
  CHECK_FALSE(time_left(fresh.all));
  CHECK_FALSE(time_left({}));
}

TEST_CASE("the completed share counts ended runs fully and other runs by their epochs") {
  TimedRuns runs;
  runs.add("a", JobState::Failed, 3, 0.1);
  runs.add("b", JobState::Running, 3, 0.5);
  runs.add("c", JobState::Planned, 0, 0);
  CHECK(workspace::share_done(runs.all) == Approx(0.5));
  CHECK(workspace::share_done({}) == 1);
}
