// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/analysis/support/cells.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using test::frame_of;
using test::is_empty;
using test::number;
using test::run_at;
using test::table_of;

}  // namespace

TEST_CASE("shares of kernel time come from sums over the profiles of all repeats") {
  RunRow first = run_at(4, 1000, "ddp", 1), second = run_at(4, 1000, "ddp", 2);
  first.size.steps_per_epoch = 100;
  first.profiles = {{.steps = 10,
                     .wall_s = 2,
                     .kernel_s = 3,
                     .communication = 0.5,
                     .io = 0.25,
                     .computation = 0.25,
                     .cpu_occupancy = 0.3},
                    {.steps = 10, .kernel_s = 0}};  // a block without kernels
  second.profiles = {{.steps = 10,
                      .wall_s = 6,
                      .kernel_s = 1,
                      .communication = 0.1,
                      .computation = 0.5,
                      .other = 0.4,
                      .cpu_occupancy = 0.7}};
  const Table table = table_of("kernel-shares", frame_of({first, second}));
  REQUIRE(table.rows.size() == 1);
  CHECK(number(table, 0, "n") == 2);
  CHECK(number(table, 0, "profiled_steps") == 20);
  CHECK(number(table, 0, "communication") == Approx(0.4));
  CHECK(number(table, 0, "io") == Approx(0.1875));
  CHECK(number(table, 0, "computation") == Approx(0.3125));
  CHECK(number(table, 0, "other") == Approx(0.1));
  CHECK(number(table, 0, "cpu_occupancy") == Approx(0.6));
  CHECK(number(table, 0, "io_s_per_epoch") == Approx(0.75 / 20 * 100));
}

TEST_CASE("the seconds of I/O are absent if the steps of an epoch are unknown") {
  RunRow run = run_at(4, 1000);
  run.profiles = {{.steps = 10, .wall_s = 2, .kernel_s = 3, .computation = 1}};
  CHECK(is_empty(table_of("kernel-shares", frame_of({run})), 0, "io_s_per_epoch"));
}

}  // namespace dlscale::analysis
