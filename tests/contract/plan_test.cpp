// SPDX-License-Identifier: Apache-2.0
#include "contract/plan.hpp"

#include <catch2/catch.hpp>

#include "tests/support/any_value.hpp"

using namespace dlscale;
using namespace dlscale::contract;

namespace {

Plan any_plan(unsigned seed) {
  test::AnyValue any(seed);
  Plan plan;
  plan.study = any.text();
  plan.site = any.text();
  plan.scheduler = any.one_of({"local", "slurm", "oar"});
  plan.baseline = {"gpus", static_cast<int>(any.whole(1, 64))};
  plan.repeats = static_cast<int>(any.whole(1, 10));
  plan.axes = any.list([&] { return Axis{any.text(), any.list([&] { return any.text(); })}; });
  plan.runs = any.list([&] {
    return PlannedRun{any.text(),       1, any.table(),  any.text(),  4,
                      any.whole(1, 99), 9, any.number(), any.number()};
  });
  plan.jobs = any.list([&] {
    return PlannedJob{any.text(), any.list([&] { return any.text(); }), {}};
  });
  plan.skipped = any.list([&] { return SkippedPoint{any.table(), any.text()}; });
  plan.warnings = any.list([&] { return any.text(); });
  return plan;
}

}  // namespace

TEST_CASE("every plan survives being written and read") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Plan plan = any_plan(seed);
    REQUIRE(plan_from_json(to_json(plan), "plan.json") == plan);
  }
}

TEST_CASE("a broken plan is refused with the place") {
  CHECK_THROWS_WITH(plan_from_json("{\"schema_version\": 1}", "p/plan.json"),
                    "p/plan.json: study: missing");
  CHECK_THROWS_WITH(
      plan_from_json(
          R"({"schema_version":1,"study":"s","site":"x","scheduler":"local","runs":[{}],"jobs":[]})",
          "plan.json"),
      "plan.json: runs[0].run_id: missing");
  Plan newer;
  newer.schema_version = 7;
  CHECK_THROWS_WITH(
      plan_from_json(to_json(newer), "plan.json"),
      "plan.json: schema_version: is 7, this build reads up to 1; use a newer dlscale");
}
