// SPDX-License-Identifier: Apache-2.0
// Tests that accounting rows of one job count once.
#include "analysis/import/same_job.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/analysis/support/log_folder.hpp"

namespace dlscale::analysis {
namespace {

using test::LogFolder;

struct Books : LogFolder {
  Books() { request = {.logs = {logs()}}; }
};

const std::string kHeading = "JobID|State|Elapsed|Submit|Start|End|AllocTRES\n";
const std::string kTres = "|cpu=8,gres/gpu=4,node=1\n";

std::string row(const std::string& state, const std::string& elapsed, const std::string& start) {
  return "1|" + state + "|" + elapsed + "|2026-01-31T22:00:00|" + start + "|Unknown" + kTres;
}

const std::string kStart = "2026-01-31T23:00:00";
const std::string kDone = row("COMPLETED", "02:00:00", kStart);

std::vector<std::string> states(const LogFolder& logs) {
  std::vector<std::string> found;
  ingest(logs.folder);
  for (const RunRow& run : read_frame(logs.folder).runs) found.push_back(run.outcome);
  return found;
}

}  // namespace

TEST_CASE("a job in two dumps counts once, which is reported") {
  Books books;
  books.write("feb.txt", kHeading + kDone + "2" + kDone.substr(1));
  books.write("jan.txt", kHeading + kDone);
  const ImportSummary summary = books.import();
  CHECK(summary.runs == 2);
  REQUIRE(summary.skipped.size() == 1);
  CHECK(summary.skipped[0].shown == books.logs() + "/jan.txt: line 2");
  CHECK(summary.skipped[0].why == "another row describes the same job and is used instead");
  CHECK_FALSE(summary.skipped[0].is_failure);
  CHECK(states(books).size() == 2);
}

TEST_CASE("the final state of a job is used") {
  Books books;
  books.write("a.txt", kHeading + row("RUNNING", "00:30:00", kStart) + kHeading + kDone +
                           row("RUNNING", "01:00:00", kStart) +
                           row("PENDING", "00:00:00", "Unknown"));
  CHECK(books.import().runs == 1);
  CHECK(states(books) == std::vector<std::string>{"Completed"});
}

TEST_CASE("the longest row of a job that has not ended is used") {
  Books books;
  books.write("a.txt", kHeading + row("RUNNING", "01:00:00", kStart) +
                           row("RUNNING", "02:00:00", kStart) + row("RUNNING", "00:30:00", kStart));
  const ImportSummary summary = books.import();
  CHECK(summary.runs == 1);
  REQUIRE(summary.skipped.size() == 2);
  CHECK(summary.skipped[0].shown.ends_with("line 2"));
  CHECK(summary.skipped[1].shown.ends_with("line 4"));
}

TEST_CASE("each start of a requeued job counts") {
  Books books;
  books.write("a.txt", kHeading + row("NODE_FAIL", "00:10:00", "2026-01-31T22:10:00") + kDone);
  CHECK(books.import().runs == 2);
}

TEST_CASE("a later dump replaces only unfinished jobs of the folder") {
  Books books;
  books.write("jan.txt", kHeading + row("RUNNING", "01:00:00", kStart) + "2" + kDone.substr(1));
  CHECK(books.import().runs == 2);
  books.write("feb/feb.txt", kHeading + kDone + "2" + kDone.substr(1));
  books.request.logs = {books.logs() + "/feb"};
  CHECK(books.import().runs == 1);
  CHECK(states(books) == std::vector<std::string>{"Completed", "Completed"});
  books.request.logs = {books.logs()};
  const ImportSummary again = books.import();
  CHECK(again.added + again.changed == 0);
  CHECK(again.unchanged == 2);
}

TEST_CASE("without times, only rows with equal columns are one job") {
  Books books;
  const std::string heading = "JobID|State|Elapsed\n";
  books.write("a.txt", heading + "1|COMPLETED|01:00:00\n1|COMPLETED|01:00:00\n1|FAILED|00:10:00\n");
  CHECK(books.import().runs == 2);
}

TEST_CASE("jobs with equal numbers on two clusters are two jobs") {
  Books books;
  const std::string heading = "JobID|Cluster|State|Submit|Start\n";
  const std::string times = "|COMPLETED|2026-01-01T00:00:00|2026-01-01T01:00:00\n";
  books.write("a.txt", heading + "1|a" + times);
  books.write("b.txt", heading + "1|b" + times);
  CHECK(books.import().runs == 2);
}

}  // namespace dlscale::analysis
