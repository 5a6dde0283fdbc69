// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/reading/clock_watch.hpp"

#include <catch2/catch.hpp>
#include <vector>

namespace dlscale::analysis {
namespace {

std::string warning_of(const std::vector<double>& times) {
  ClockWatch watch;
  int line = 4;
  for (const double time : times) watch.add(time, line++);
  CHECK(watch.line() == (times.empty() ? 0 : 4));
  return watch.warning("wall_s");
}

}  // namespace

TEST_CASE("times that grow like a clock are reported with the right field") {
  const std::string text = warning_of({10.2, 20.1, 30.5});
  CHECK_THAT(text, Catch::StartsWith("wall_s rises from line to line"));
  CHECK_THAT(text, Catch::Contains("use the field elapsed_s instead of wall_s"));
  CHECK_FALSE(warning_of({61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71}).empty());  // long start-up
  CHECK_FALSE(warning_of({5, 10, 15, 20, 5, 10, 15, 20}).empty());  // time since the epoch began
  CHECK_FALSE(warning_of({1, 1, 2, 2, 3, 3, 4}).empty());           // in whole seconds
}

TEST_CASE("times of steps and epochs are not reported as a clock") {
  CHECK(warning_of({}).empty());
  CHECK(warning_of({10, 20}).empty());
  CHECK(warning_of({9.0, 1.0, 1.1, 1.2, 1.3}).empty());  // start-up, then slower steps
  CHECK(warning_of({1.0, 1.1, 1.2, 1.3, 1.2, 1.4}).empty());
  CHECK(warning_of({2, 2, 2, 2}).empty());
  CHECK(warning_of({1, 3, 1, 3, 1, 3, 1, 3}).empty());  // every second step evaluates
  CHECK(warning_of({1, 2, 3, 2.5, 3}).empty());
}

}  // namespace dlscale::analysis
