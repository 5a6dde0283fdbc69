// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale cancel`, `status` and `wait`, with and without another dlscale process that
// follows the jobs.
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "contract/plan/plan.hpp"
#include "tests/cli/small_study.hpp"
#include "tests/support/skip.hpp"

using namespace dlscale;
using Catch::Contains;

namespace {

/// Study of two runs that need a complete machine each, so that the second run waits for the first
/// run. The first run lasts until the file `hold` is removed.
struct WideStudy : test::SmallStudy {
  WideStudy() {
    program("mpirun", std::string("#!/bin/bash\nwhile [ -e hold ]; do sleep 0.1; done\n") +
                          test::kIdleTrainer);
    const test::Ran ran = run({"plan", "study.toml", "-o", "p", "-S", "matrix.gpus=[1024]"});
    INFO(ran.err);
    REQUIRE(ran.exit_code == 0);
    base::write_file_atomically(dlscale.folder / "p/hold", "");
    const test::Ran submitted = run({"submit", "p", "--detach"});
    REQUIRE(submitted.exit_code == 0);
    const std::string before = "process ";
    launcher = std::stoi(submitted.out.substr(submitted.out.find(before) + before.size()));
    for (int i = 0; i < 100 && log().size() < 5; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    REQUIRE(log().size() == 5);  // two submissions and one start
  }
  ~WideStudy() {
    std::filesystem::remove(dlscale.folder / "p/hold");
    run({"wait", "p"});
  }
  int launcher = 0;
};

}  // namespace

TEST_CASE(
    "a waiting run on this machine is shown as queued and does not run after it is cancelled") {
  WideStudy study;
  const std::string before = study.run({"status", "p", "--csv"}).out;
  CHECK_THAT(before, Contains(",queued,") && Contains(",running,") && !Contains("lost"));
  const test::Ran cancelled = study.run({"cancel", "p", "--state", "queued", "--yes"});
  INFO(cancelled.out << cancelled.err);
  CHECK(cancelled.exit_code == 0);
  std::filesystem::remove(study.dlscale.folder / "p/hold");
  CHECK_THAT(study.run({"wait", "p"}).out, Contains("1 done, 1 cancelled"));
}

TEST_CASE(
    "a new plan names submitted jobs that it lacks, and the jobs can be cancelled by their ids") {
  WideStudy study;
  const contract::PlanDir folder(study.dlscale.folder / "p");
  const std::string before = contract::read_plan(folder).runs[1].run_id;
  const test::Ran again = study.run({"plan", "study.toml", "-o", "p"});
  CHECK_THAT(again.out, Contains("warning: 2 runs in the batch system are not in this plan: ") &&
                            Contains(before) && Contains("dlscale cancel p --run ID --yes"));
  const test::Ran cancelled = study.run({"cancel", "p", "--run", before, "--yes"});
  INFO(cancelled.out << cancelled.err);
  CHECK(cancelled.exit_code == 0);
  CHECK_THAT(cancelled.out, Contains(before));
  for (int i = 0; i < 100 && study.log().back().run_id != before; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  CHECK(study.log().back().outcome == contract::RunOutcome::Cancelled);
}

TEST_CASE("in a plan folder the folder argument may be omitted") {
  test::SmallStudy study;
  const std::filesystem::path p = study.dlscale.folder / "p";
  const auto id = contract::read_plan(contract::PlanDir(p)).runs[0].run_id;
  const auto there = [&](const std::string& words) {
    return std::system(
        ("cd '" + p.string() + "' && " DLSCALE_BINARY_DIR "/bin/dlscale " + words + " >out 2>err")
            .c_str());
  };
  CHECK(there("status " + id) == 0);
  CHECK_THAT(base::read_file(p / "out"), Contains(id));
  CHECK(WEXITSTATUS(there("status nowhere")) == 3);
}

TEST_CASE("after an interruption the command in the message resumes the runs") {
  WideStudy study;
  REQUIRE(::kill(study.launcher, SIGTERM) == 0);
  CHECK_THAT(study.run({"wait", "p"}).out, Contains("2 runs: 2 cancelled"));
  CHECK_THAT(base::read_file(study.dlscale.folder / "p/logs/submit.log"),
             Contains("2 runs stopped; continue with: dlscale retry "));
  CHECK_THAT(study.run({"submit", "p"}).err,
             Contains("dlscale retry --state cancelled resubmits them"));
  std::filesystem::remove(study.dlscale.folder / "p/hold");
  CHECK_THAT(study.run({"retry", "p", "--state", "cancelled"}).out, Contains("2 runs: 2 done"));
}

TEST_CASE("wait without write access to the folder polls only, and reports this") {
  test::SmallStudy study;
  const std::filesystem::path folder = study.dlscale.folder.path();
  const auto id = contract::read_plan(contract::PlanDir(folder / "p")).runs[0].run_id;
  base::LineAppender log(folder / "p/launch.jsonl");
  log.append(R"({"event":"submitting","job":"j","launch":"x","runs":[")" + id + "\"]}");
  log.append(R"({"event":"submitted","job":"j","launch":"x","job_id":"x"})");
  for (const char* path : {"p", "p/launch.jsonl"}) {
    std::filesystem::permissions(folder / path, std::filesystem::perms(0555));
  }
  std::filesystem::permissions(folder, std::filesystem::perms(0755));
  const std::string nobody =
      ::geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
  const std::string dlscale = DLSCALE_BINARY_DIR "/bin/dlscale";
  const std::string there = "cd '" + folder.string() + "' && " + nobody;
  if (std::system((there + "test -x '" + dlscale + "'").c_str()) != 0) {
    test::skip("the program is hidden from a user without rights");
    return;
  }
  const int ran = std::system((there + "timeout 20 '" + dlscale + "' wait p >out 2>&1").c_str());
  CHECK(WEXITSTATUS(ran) == 1);
  std::filesystem::permissions(folder / "p", std::filesystem::perms(0755));
  CHECK(base::read_file(folder / "out") ==
        "the folder cannot be written: the ends of runs are shown but not recorded\n"
        "2 runs: 1 planned, 1 lost\n");
}
