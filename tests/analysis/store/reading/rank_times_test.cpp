// SPDX-License-Identifier: Apache-2.0
// Tests that the work times of ranks get from launch records to the database and to the row of the
// run.
#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/store/ingest.hpp"
#include "analysis/store/reading/frame_reader.hpp"
#include "base/file.hpp"
#include "tests/analysis/support/written_study.hpp"

namespace dlscale::analysis {
namespace {

/// Writes a launch whose ranks run on the given hosts and have the given work times.
contract::LaunchDir launch_on(test::WrittenStudy& study, const std::string& run_id,
                              const std::vector<std::string>& hosts,
                              const std::vector<contract::RankTimes>& times) {
  const contract::LaunchDir launch = study.folder.run(run_id).make_next_launch();
  contract::RunStart start;
  start.run_id = run_id;
  start.launch = launch.number();
  start.world_size = static_cast<int>(hosts.size());
  start.hosts = hosts;
  std::string text = contract::to_json_line(start) + "\n";
  for (const contract::RankTimes& record : times) text += contract::to_json_line(record) + "\n";
  base::write_file_atomically(launch.results(),
                              text + contract::to_json_line(contract::RunStop{}) + "\n");
  return launch;
}

const std::vector<contract::RankTimes> kTimes{
    {.epoch = 0, .steps = 30, .work_s = {1.5, 2, 1e-05, 12345}},
    {.epoch = 1, .steps = 40, .work_s = {1.25, NAN, 3, 4}, .stages = 2}};

}  // namespace

TEST_CASE("the run's row has the work times and hosts of ranks for every launch") {
  test::WrittenStudy study;
  const std::string run_id = study.plan_run("ddp", 4);
  launch_on(study, run_id, {"a", "a", "b", "a"}, kTimes);
  launch_on(study, run_id, {}, {kTimes[0]});
  ingest(study.folder);
  const Frame frame = read_frame(study.folder);
  REQUIRE(frame.runs.size() == 1);
  const std::vector<LaunchRanks>& launches = frame.runs[0].ranks;
  REQUIRE(launches.size() == 2);
  CHECK(launches[0].hosts == std::vector<std::string>{"a", "a", "b", "a"});
  REQUIRE(launches[0].epochs.size() == 2);
  CHECK(launches[0].epochs[0].work_s == kTimes[0].work_s);
  CHECK(launches[0].epochs[1].steps == 40);
  CHECK(launches[0].epochs[1].work_s[0] == 1.25);
  CHECK(std::isnan(launches[0].epochs[1].work_s[1]));
  CHECK(launches[0].epochs[1].work_s[3] == 4);
  CHECK(launches[1].launch == 2);
  CHECK(launches[1].hosts.empty());
}

TEST_CASE("the rank view has a row per rank with its host and source line") {
  test::WrittenStudy study;
  const std::string run_id = study.plan_run("ddp", 4);
  launch_on(study, run_id, {"a", "a", "b", "a"}, kTimes);
  ingest(study.folder);
  SQLite::Database database(study.folder.database().string());
  const auto one = [&](const std::string& what, const std::string& where) {
    return database.execAndGet("SELECT " + what + " FROM rank_view WHERE " + where).getString();
  };
  CHECK(one("count(*)", "1") == "8");
  CHECK(one("host", "epoch = 0 AND rank = 2") == "b");
  CHECK(one("host", "epoch = 0 AND rank = 3") == "a");
  CHECK(one("work_s", "epoch = 0 AND rank = 3") == "12345.0");
  CHECK(one("work_s IS NULL", "epoch = 1 AND rank = 1") == "1");
  CHECK(one("line || source", "epoch = 1 AND rank = 0") ==
        "3runs/" + run_id + "/launch-1/results.jsonl");
  CHECK(one("length(sha256)", "epoch = 1 AND rank = 0") == "64");
}

TEST_CASE("work times of ranks are stored once after a file has grown and after a rebuild") {
  test::WrittenStudy study;
  const std::string run_id = study.plan_run("ddp", 2);
  const contract::LaunchDir launch = launch_on(study, run_id, {"a", "b"}, {kTimes[0]});
  ingest(study.folder);
  base::LineAppender(launch.results()).append(contract::to_json_line(kTimes[1]));
  ingest(study.folder);
  ingest(study.folder, true);
  SQLite::Database database(study.folder.database().string());
  CHECK(database.execAndGet("SELECT count(*) FROM rank_times").getInt() == 2);
  CHECK(database.execAndGet("SELECT count(*) FROM launch_node").getInt() == 2);
}

}  // namespace dlscale::analysis
