// SPDX-License-Identifier: Apache-2.0
#include "contract/records/launch_record.hpp"

#include <catch2/catch.hpp>

#include "tests/support/any_value.hpp"

using namespace dlscale;
using namespace dlscale::contract;

TEST_CASE("every launch record survives being written and read") {
  std::string log;
  std::vector<LaunchRecord> records;
  for (unsigned seed = 0; seed < 200; ++seed) {
    test::AnyValue any(seed);
    LaunchRecord record;
    record.event = any.one_of({"submitting", "submitted", "started", "requeued", "ended"});
    record.job = any.text();
    record.launch = any.text();
    record.run_id = any.text();
    record.job_id = any.text();
    record.runs = {any.text(), any.text()};
    record.launches = {static_cast<int>(any.whole(0, 9)), 1};
    record.task_ids = {any.text()};
    record.nodes = {any.text()};
    record.time = any.number();
    record.exit_code = static_cast<int>(any.whole(-1, 255));
    record.elapsed_s = any.number();
    record.peak_memory_bytes = any.number();
    record.stderr_bytes = any.whole(0, 1 << 20);
    record.reason = any.text();
    record.software = any.text();
    record.launch_number = static_cast<int>(any.whole(0, 9));
    if (any.flag()) record.outcome = all_outcomes()[seed % all_outcomes().size()];
    records.push_back(record);
    log += to_json_line(record) + "\n";
  }
  CHECK(parse_launch_log(log) == records);
}

TEST_CASE("the incomplete last line of a killed writer is left out") {
  const LaunchRecord record{.event = "submitted", .job = "j"};
  const std::string line = to_json_line(record);
  CHECK(parse_launch_log(line + "\n" + line.substr(0, line.size() / 2)) ==
        std::vector<LaunchRecord>{record});
}
