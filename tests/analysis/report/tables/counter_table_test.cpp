// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "analysis/report/tables/metrics.hpp"
#include "tests/analysis/support/cells.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using test::frame_of;
using test::number;
using test::run_at;
using test::table_of;
using test::text;

}  // namespace

TEST_CASE("the counters table has a row for each counter, per step and per epoch") {
  RunRow run = run_at(4, 1000);
  run.size.steps_per_epoch = 50;
  run.counters = {{"horovod_cycles", 3}, {"skipped_steps", 0.5}};
  run.steps.bytes_sent = 800;
  run.steps.collectives = 200;
  const Table table = table_of("counters", frame_of({run}));
  REQUIRE(table.rows.size() == 4);
  CHECK(text(table, 0, "counter") == "bytes_sent");
  CHECK(number(table, 0, "per_step") == 8);
  CHECK(text(table, 1, "counter") == "collectives");
  CHECK(number(table, 1, "per_epoch") == 100);
  CHECK(text(table, 2, "counter") == "horovod_cycles");
  CHECK(number(table, 2, "per_epoch") == 150);
  CHECK(number(table, 3, "per_step") == 0.5);
}

TEST_CASE("a study without counters has no row in the counters table") {
  const Frame frame = frame_of({run_at(4, 1000)});
  CHECK(table_of("counters", frame).rows.empty());
  CHECK(why_nothing(find_metric("counters"), frame, {}) ==
        "counters needs a completed run that counted bytes or events in its steps, and there is "
        "none");
}

}  // namespace dlscale::analysis
