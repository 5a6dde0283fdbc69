// SPDX-License-Identifier: Apache-2.0
// Tests of the resources that `dlscale usage` reports as requested and used.
#include <catch2/catch.hpp>

#include "tests/cli/planned_demo.hpp"
#include "workspace/status/usage_rows.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::StartsWith;
using contract::RunOutcome;
using test::PlannedDemo;
using workspace::LaunchUse;

namespace {

workspace::UsageFacet by_gpus() {
  return {"gpus", [](const contract::PlannedRun& run) { return std::to_string(run.gpus); }};
}

}  // namespace

TEST_CASE("a row has medians of its launches, sums of GPU-hours and the maximum memory") {
  std::vector<contract::PlannedRun> runs(2);
  runs[1].gpus = 4;
  const LaunchUse uses[] = {
      {&runs[1], true, 3600, 3600, 4, 4, 64e9, 50e9},
      {&runs[0], false, 3600, 900, 1, 0.25, {}, {}},
      {&runs[0], false, 3600, 1800, 1, 0.5, {}, 10e9},
      {&runs[0], false, 3600, 360, 1, 0.1, {}, 12e9},
  };
  const auto rows = workspace::usage_rows({std::begin(uses), std::end(uses)}, {by_gpus()});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].by.at("gpus") == "1");
  CHECK(rows[0].launches == 3);
  CHECK(rows[0].elapsed_s == Approx(900));
  CHECK(rows[0].elapsed_max_s == Approx(1800));
  CHECK(rows[0].walltime_used == Approx(0.25));
  CHECK(rows[0].gpu_hours_used == Approx(0.85));
  CHECK(rows[0].peak_memory_bytes == Approx(12e9));
  CHECK_FALSE(rows[0].memory_bytes);
  CHECK(rows[1].timeouts == 1);
  CHECK(rows[1].memory_bytes == Approx(64e9));
}

TEST_CASE("every logged launch counts, with the time of the accounting if available") {
  PlannedDemo demo;
  demo.log_launch(demo.ids[0], "t0", 1000);
  demo.log_end(demo.ids[0], "t0", RunOutcome::TimedOut, 1100);
  demo.log_launch(demo.ids[0], "t1", 2000);
  contract::LaunchRecord end{.event = "ended", .job = demo.ids[0], .launch = "t1"};
  end.run_id = demo.ids[0];
  end.time = 2500;
  end.outcome = RunOutcome::Completed;
  end.elapsed_s = 300;
  end.peak_memory_bytes = 2e9;
  demo.log(end);
  const test::Ran ran = demo.dlscale.run({"usage", "demo", "--json"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("\"launches\":2") && Contains("\"timeouts\":1") &&
                          Contains("\"elapsed_s\":200") && Contains("\"elapsed_max_s\":300") &&
                          Contains("\"peak_memory_bytes\":2000000000"));
}

TEST_CASE("runs without log entries count by their own records") {
  PlannedDemo demo;
  contract::RunStop stop;
  stop.wall_s = 42;
  contract::StepWindow window;
  window.peak_memory_bytes = 3e9;
  demo.launch(demo.ids[0], {contract::RunStart{}, window, stop});
  const test::Ran ran = demo.dlscale.run({"usage", "demo", "--by", "framework"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, StartsWith("Requested and used: demo\n") && Contains("framework") &&
                          Contains("synchronous") && Contains("42.0") && Contains("3.0"));
  const test::Ran csv = demo.dlscale.run({"usage", "demo", "--format", "csv"});
  CHECK_THAT(csv.out, Contains("\ngpus,launches,timeouts_share,walltime_s,elapsed_s,"));
}

TEST_CASE("the memory peak of a node counts the ranks that the records place on one host") {
  PlannedDemo demo;
  contract::RunStart start;
  start.hosts = {"n1", "n1", "n1", "n2"};
  contract::RunStop stop;
  stop.wall_s = 42;
  contract::StepWindow window;
  window.peak_memory_bytes = 3e9;
  demo.launch(demo.ids[0], {start, window, stop});
  const test::Ran ran = demo.dlscale.run({"usage", "demo", "--json"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("\"peak_memory_bytes\":9000000000"));
}

TEST_CASE("usage rejects an unknown axis and shows nothing before a launch has ended") {
  PlannedDemo demo;
  const test::Ran none = demo.dlscale.run({"usage", "demo"});
  CHECK(none.exit_code == 3);
  CHECK(none.err == "dlscale: nothing to show: no launch has ended\n");
  const test::Ran typo = demo.dlscale.run({"usage", "demo", "--by", "gpu"});
  CHECK(typo.exit_code == 2);
  CHECK_THAT(typo.err, StartsWith("dlscale: unknown axis \"gpu\"; did you mean \"gpus\"?"));
  CHECK(demo.dlscale.run({"usage", "demo", "--json", "--format", "csv"}).exit_code == 2);
}
