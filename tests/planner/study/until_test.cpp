// SPDX-License-Identifier: Apache-2.0
// Tests of `until` in [study]: repetitions until the results are certain enough.
#include <catch2/catch.hpp>

#include "tests/planner/study_text.hpp"

using namespace dlscale;

namespace {

planner::Study with_until(const std::string& keys, const std::string& rest = "") {
  return test::read({.study = "name = \"s\"\n" + keys, .rest = rest});
}

std::string until_error(const std::string& keys, const std::string& rest = "") {
  return test::error_of([&] { with_until(keys, rest); });
}

}  // namespace

TEST_CASE("until plans the maximum number of repetitions and records the initial number") {
  const auto study = with_until("repeats = 3\nuntil = { efficiency_ci = 0.02, max = 10 }");
  CHECK(study.repeats == 10);
  CHECK(study.until.first == 3);
  CHECK(study.until.efficiency_ci == 0.02);
  CHECK(with_until("repeats = 3").until == contract::RepeatUntil{});
}

TEST_CASE("until needs both numbers and a maximum of at least repeats") {
  CHECK(until_error("until = { max = 10 }") ==
        "s.toml:3:9: study.until: expected { efficiency_ci = NUMBER, max = REPETITIONS }");
  CHECK(until_error("until = { efficiency_ci = 0 , max = 2 }").find("efficiency_ci") !=
        std::string::npos);
  CHECK(until_error("until = { efficiency_ci = 0.1, most = 2 }").find("max") != std::string::npos);
  CHECK(until_error("repeats = 5\nuntil = { efficiency_ci = 0.1, max = 4 }")
            .find("until.max is 4, but must be at least repeats (5)") != std::string::npos);
  CHECK(until_error("until = { efficiency_ci = 0.1, max = 4 }", "[launch]\npack = true")
            .find("launch.pack") != std::string::npos);
}
