// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale status` on a folder with some launched runs.
#include <catch2/catch.hpp>
#include <thread>

#include "tests/cli/planned_demo.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::StartsWith;
using contract::RunOutcome;
using test::PlannedDemo;

namespace {

contract::EpochRecord trained(int epoch) {
  contract::EpochRecord record;
  record.epoch = epoch;
  return record;
}

}  // namespace

TEST_CASE("status counts states and shows epoch, time, node, job and reason of each run") {
  PlannedDemo demo;
  demo.log_launch(demo.ids[0], "t0", 1000);
  demo.complete(demo.ids[0]);
  demo.log_end(demo.ids[0], "t0", RunOutcome::Completed, 1090);
  demo.log_launch(demo.ids[1], "t1", 1000);
  demo.launch(demo.ids[1], {contract::RunStart{}, trained(0)});
  demo.log_end(demo.ids[1], "t1", RunOutcome::OutOfMemory, 1065);
  const test::Ran ran = demo.dlscale.run({"status", "demo", "--offline"});
  CHECK(ran.exit_code == 0);
  CHECK(ran.err == "");
  CHECK_THAT(ran.out, StartsWith("4 runs: 2 planned, 1 done, 1 oom\n\nrun "));
  CHECK_THAT(ran.out, Contains("  done       3/3     1:30  node7    4711\n"));
  CHECK_THAT(ran.out, Contains("  oom        1/3     1:05  node7    4711  what went wrong\n"));
  CHECK_THAT(ran.out, Contains("  planned    0/3        -  -           -\n"));
}

TEST_CASE("the epoch of a resumed run includes earlier launches") {
  PlannedDemo demo;
  demo.launch(demo.ids[0], {contract::RunStart{}, trained(0), trained(1)});
  contract::RunStart again;
  again.launch = 2;
  again.resumed_from = "launch-1";
  demo.launch(demo.ids[0], {again});
  CHECK_THAT(demo.dlscale.run({"status", "demo", "--offline"}).out, Contains("  running    2/3 "));
}

TEST_CASE("status --json prints one object with counts and runs") {
  PlannedDemo demo;
  demo.fail(demo.ids[2], "disk full");
  const test::Ran ran = demo.dlscale.run({"status", "demo", "--json", "--offline"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("\n \"counts\": {\n  \"failed\": 1,\n  \"planned\": 3\n },"));
  CHECK_THAT(ran.out, Contains("\"reason\":\"disk full\"") && Contains("\"state\":\"failed\"") &&
                          Contains("\"epochs\":3") && Contains("\"epoch\":null") &&
                          Contains("\"study\": \"demo\""));
}

TEST_CASE("status --csv has the axes and the progress of each run") {
  PlannedDemo demo;
  const test::Ran ran = demo.dlscale.run({"status", "demo", "--csv", "--offline"});
  CHECK_THAT(ran.out, StartsWith("run_id,state,framework,"));
  CHECK_THAT(ran.out, Contains(",epoch,epochs,elapsed_s,nodes,job_id,reason\n"));
}

TEST_CASE("status accepts a selection by name, condition and state") {
  PlannedDemo demo;
  demo.fail(demo.ids[2], "disk full");
  const test::Ran ran = demo.dlscale.run({"status", "demo", "ddp-*", "--state", "failed,oom"});
  CHECK(ran.err == "2 of 4 runs match\n1 of 2 runs is failed or oom\n");
  CHECK_THAT(ran.out, StartsWith("1 run: 1 failed\n") && Contains(demo.ids[2]));
  const test::Ran none = demo.dlscale.run({"status", "demo", "--state", "lost"});
  CHECK(none.exit_code == 3);
  CHECK(none.err == "dlscale: 0 of 4 runs are lost\n");
  CHECK(demo.dlscale.run({"status", "demo", "--state", "lost", "--allow-empty"}).exit_code == 0);
}

TEST_CASE("status rejects an unknown state, two formats at once and a folder without a plan") {
  PlannedDemo demo;
  const test::Ran typo = demo.dlscale.run({"status", "demo", "--state", "faild"});
  CHECK(typo.exit_code == 2);
  CHECK_THAT(typo.err, StartsWith("dlscale: unknown state \"faild\"; did you mean \"failed\"?"));
  CHECK(demo.dlscale.run({"status", "demo", "--json", "--csv"}).exit_code == 2);
  CHECK(demo.dlscale.run({"status", "demo", "--watch", "--json"}).exit_code == 2);
  CHECK(demo.dlscale.run({"status", "demo", "-n", "5"}).exit_code == 2);
  CHECK_THAT(demo.dlscale.run({"status"}).err, Contains("no plan.json in ."));
}

TEST_CASE("without a terminal, --watch prints one block per interval until all runs have ended") {
  PlannedDemo demo;
  for (std::size_t i = 0; i < 3; ++i) demo.complete(demo.ids[i]);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    demo.fail(demo.ids[3], "disk full");
  });
  const test::Ran ran = demo.dlscale.run({"status", "demo", "--watch", "-n", "0.2", "--offline"});
  later.join();
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("] 3/4 runs, ") && Contains("] 4/4 runs, 1 failed, "));
  CHECK(ran.out.find('\x1b') == std::string::npos);
}

TEST_CASE("status of an unsubmitted plan writes nothing") {
  PlannedDemo demo;
  CHECK(demo.dlscale.run({"status", "demo"}).exit_code == 0);
  CHECK_FALSE(std::filesystem::exists(demo.folder.launch_log()));
}
