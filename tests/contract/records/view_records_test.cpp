// SPDX-License-Identifier: Apache-2.0
#include "contract/records/view_records.hpp"

#include <catch2/catch.hpp>

using namespace dlscale::contract;

TEST_CASE("a status report has one line per run and null for unknown values") {
  StatusReport report{"mine", 5, {{"done", 1}, {"queued", 1}}, 1, 60.5, {}};
  report.runs.push_back({"a-r1", "done", "", true, 3, 3, 12.5, {"n1", "n2"}, "a", "17"});
  report.runs.push_back({"b-r1", "queued", "Priority", false, {}, {}, {}, {}, "b", "18"});
  CHECK(to_json(report) ==
        R"({
 "study": "mine",
 "time": 5.0,
 "counts": {
  "done": 1,
  "queued": 1
 },
 "stale": 1,
 "rest_s": 60.5,
 "runs": [
  {"run_id":"a-r1","state":"done","reason":"","stale":true,"epoch":3,"epochs":3,)"
        R"("elapsed_s":12.5,"nodes":["n1","n2"],"job":"a","job_id":"17"},
  {"run_id":"b-r1","state":"queued","reason":"Priority","stale":false,"epoch":null,)"
        R"("epochs":null,"elapsed_s":null,"nodes":[],"job":"b","job_id":"18"}
 ]
}
)");
}

TEST_CASE("checks are written as a list with one line per check") {
  CHECK(to_json(std::vector<CheckRecord>{{"locks", "fail", "no", "move \"it\""}}) ==
        "[\n {\"name\":\"locks\",\"level\":\"fail\",\"message\":\"no\","
        "\"advice\":\"move \\\"it\\\"\"}\n]\n");
  CHECK(to_json(std::vector<CheckRecord>{}) == "[]\n");
}

TEST_CASE("a usage row contains its grouping keys and null for unknown values") {
  UsageRow row;
  row.by = {{"gpus", "4"}};
  row.launches = 2;
  row.walltime_used = 0.25;
  const std::string json = to_json(std::vector<UsageRow>{row});
  CHECK(json.find("\"by\":{\"gpus\":\"4\"}") != std::string::npos);
  CHECK(json.find("\"walltime_used\":0.25") != std::string::npos);
  CHECK(json.find("\"elapsed_s\":null") != std::string::npos);
}
