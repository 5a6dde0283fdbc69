// SPDX-License-Identifier: Apache-2.0
#include "runner/status/cancel_requests.hpp"

#include <catch2/catch.hpp>

#include "base/file.hpp"
#include "tests/runner/written_plan.hpp"
#include "tests/support/fake_clock.hpp"

using namespace dlscale;
using runner::CancelRequest;

TEST_CASE("cancel requests of several writers are read once and in order") {
  const test::WrittenPlan written({"a"});
  const test::FakeClock clock;
  runner::CancelRequestReader reader(written.folder.cancel_requests());
  CHECK(reader.fresh().empty());
  runner::append_cancel_requests(written.folder, {{"r1", "t1"}, {"r2", ""}}, clock);
  runner::append_cancel_requests(written.folder, {{"r3", "t3"}}, clock);
  CHECK(reader.fresh() == std::vector<CancelRequest>{{"r1", "t1"}, {"r2", ""}, {"r3", "t3"}});
  CHECK(reader.fresh().empty());
}

TEST_CASE("an incomplete cancel request is read after its line is complete") {
  const test::WrittenPlan written({"a"});
  const std::string line = R"({"event":"cancelling","job":"","run_id":"r"})";
  base::write_file_atomically(written.folder.cancel_requests(), line);
  runner::CancelRequestReader reader(written.folder.cancel_requests());
  CHECK(reader.fresh().empty());
  base::write_file_atomically(written.folder.cancel_requests(), line + "\n");
  CHECK(reader.fresh() == std::vector<CancelRequest>{{"r", ""}});
}

TEST_CASE("a cancel request that cannot be written is an error with the path") {
  const test::FakeClock clock;
  CHECK_THROWS_WITH(
      runner::append_cancel_requests(contract::PlanDir("/proc/none"), {{"r", ""}}, clock),
      Catch::StartsWith("cannot write /proc/none/logs/cancel.jsonl"));
}
