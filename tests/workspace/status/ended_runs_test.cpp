// SPDX-License-Identifier: Apache-2.0
#include "workspace/status/ended_runs.hpp"

#include <catch2/catch.hpp>

#include "base/file.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using runner::JobState;
using workspace::EndedRuns;

namespace {

/// Plan folder with completed runs "a" and "b". Each run has a launch without files.
struct TwoRuns {
  test::TempDir dir;
  contract::PlanDir folder{dir.path()};
  std::vector<contract::PlannedRun> planned{{.run_id = "a"}, {.run_id = "b"}};
  std::vector<workspace::ShownRun> runs{{&planned[0], JobState::Done},
                                        {&planned[1], JobState::Done}};
  EndedRuns ends{folder};

  TwoRuns() {
    for (const contract::PlannedRun& run : planned) {
      base::make_directories(folder.run(run.run_id).root());
      folder.run(run.run_id).make_next_launch();
    }
  }
  void write_log(const std::string& run, const std::string& text) const {
    base::write_file_atomically(folder.run(run).launch(1).results(), text);
  }
  void make_own_program() const {
    base::make_directories(folder.software());
    base::write_file_atomically(folder.describe_script(), "");
  }
};

}  // namespace

TEST_CASE("an ended run and a changed log of an ended run are changes") {
  TwoRuns two;
  two.runs[1].state = JobState::Running;
  CHECK(two.ends.update(two.runs, 0));
  CHECK_FALSE(two.ends.update(two.runs, 5));
  two.write_log("a", "1");
  CHECK(two.ends.update(two.runs, 10));
  two.write_log("a", "12");
  CHECK(two.ends.update(two.runs, 15));
  two.runs[1].state = JobState::Failed;
  CHECK(two.ends.update(two.runs, 20));
  two.runs[1].state = JobState::Running;
  CHECK(two.ends.update(two.runs, 25));
  CHECK(two.ends.all().size() == 1);
}

TEST_CASE("the examination of a log ends when the log has not changed for a long time") {
  TwoRuns two;
  two.write_log("a", "1");
  two.ends.update(two.runs, 0);
  two.write_log("b", "1");
  CHECK(two.ends.update(two.runs, 200));
  CHECK_FALSE(two.ends.update(two.runs, EndedRuns::kSettled_s + 1));
  two.write_log("a", "12");  // the log of "a" has not changed for more than kSettled_s
  CHECK_FALSE(two.ends.update(two.runs, EndedRuns::kSettled_s + 2));
  two.write_log("b", "12");
  CHECK(two.ends.update(two.runs, EndedRuns::kSettled_s + 3));
  two.runs[0].state = JobState::Failed;  // a run with a new state is examined again
  CHECK(two.ends.update(two.runs, EndedRuns::kSettled_s + 4));
  CHECK(two.ends.all()[0].log_bytes == 2);
}

TEST_CASE("a log is examined again after a long pause between two updates") {
  TwoRuns two;
  two.write_log("a", "1");
  two.ends.update(two.runs, 0);
  two.write_log("a", "12");
  CHECK(two.ends.update(two.runs, 2 * EndedRuns::kSettled_s));
}

TEST_CASE("completed runs without a log are found, and failed runs need no log") {
  TwoRuns two;
  two.ends.update(two.runs, 0);
  CHECK(two.ends.without_log() == std::vector<std::string>{"a", "b"});
  two.runs[0].state = JobState::Failed;
  two.ends.update(two.runs, 1);
  CHECK(two.ends.without_log() == std::vector<std::string>{"b"});
  two.write_log("b", "1");
  two.ends.update(two.runs, 2);
  CHECK(two.ends.without_log().empty());
}

TEST_CASE("runs of a program that writes no records need no log") {
  TwoRuns two;
  two.make_own_program();
  two.ends.update(two.runs, 0);
  CHECK(two.ends.without_log().empty());
  two.write_log("a", "1");  // the program writes records, so the records of "b" are missing
  two.ends.update(two.runs, 1);
  CHECK(two.ends.without_log() == std::vector<std::string>{"b"});
}

TEST_CASE("the log that a format reads is needed for each completed run") {
  TwoRuns two;
  two.make_own_program();
  for (contract::PlannedRun& run : two.planned) run.log_format = "timm";
  two.ends.update(two.runs, 0);
  CHECK(two.ends.without_log().size() == 2);
}
