// SPDX-License-Identifier: Apache-2.0
// Tests of repetitions that dlscale submits only when they are needed.
#include <catch2/catch.hpp>

#include "contract/plan/plan.hpp"
#include "tests/cli/small_study.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::StartsWith;
using Planned = test::SmallStudy;

namespace {

std::string counts(Planned& planned) {
  const std::string out = planned.run({"status", "p"}).out;
  return out.substr(0, out.find('\n'));
}

/// Returns the id of the run with that number of GPUs and that repetition.
std::string id_of(const Planned& planned, int gpus, int repetition) {
  const contract::PlanDir folder(planned.dlscale.folder / "p");
  for (const auto& run : contract::read_plan(folder).runs) {
    if (run.gpus == gpus && run.repetition == repetition) return run.run_id;
  }
  return "";
}

}  // namespace

TEST_CASE(
    "another repetition is submitted while the interval is unknown, and the rest are not needed") {
  Planned planned;
  planned.measure();
  planned.plan_until_certain(1);
  const test::Ran ran = planned.run({"submit", "p"});
  INFO(ran.out << ran.err);
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("2 more repetitions of points whose efficiency is not yet known"));
  CHECK_THAT(ran.out, Contains("8 runs: 4 done, 4 not_needed\n"));
  CHECK_THAT(planned.run({"submit", "p"}).out, StartsWith("nothing to submit"));
}

TEST_CASE("repetitions that are not needed are listed as such and not waited for") {
  Planned planned;
  planned.measure();
  planned.plan_until_certain(2);
  CHECK(counts(planned) == "8 runs: 8 planned");
  CHECK(planned.run({"submit", "p"}).exit_code == 0);
  CHECK(counts(planned) == "8 runs: 4 done, 4 not_needed");
  CHECK_THAT(planned.run({"status", "p", "--state", "not_needed"}).out,
             Contains("not needed: the efficiency is known to ±0") &&
                 Contains("not needed: all efficiencies relative to this"));
  CHECK_THAT(planned.run({"status", "p", "--json"}).out, Contains("\"not_needed\": 4"));
  const std::string spare = id_of(planned, 2, 3);
  CHECK_THAT(planned.run({"list", "p", "--csv"}).out, Contains(spare + ",not_needed,"));
  CHECK_THAT(planned.run({"list", "p", "--json"}).out, Contains("\"state\":\"not_needed\""));
  CHECK(planned.run({"list", "p", "--jobs"}).out.empty());
  // --watch ends when all runs have ended.
  const test::Ran watch = planned.run({"status", "p", "--watch"});
  CHECK_THAT(watch.out, Contains("4/4 runs"));
  CHECK(planned.run({"wait", "p"}).out == "8 runs: 4 done, 4 not_needed\n");
}

TEST_CASE("repetitions are needed again after results are lost") {
  Planned planned;
  planned.measure();
  planned.plan_until_certain(2);
  REQUIRE(planned.run({"submit", "p"}).exit_code == 0);
  const contract::PlanDir folder(planned.dlscale.folder / "p");
  for (const int gpus : {1, 2}) {  // a single result per point gives no interval
    std::filesystem::remove_all(folder.run(id_of(planned, gpus, 1)).launch(1).root());
  }
  CHECK(counts(planned) == "8 runs: 4 planned, 4 done");
  const test::Ran again = planned.run({"submit", "p"});
  CHECK_THAT(again.out, Contains("2 more repetitions") && Contains("6 done, 2 not_needed"));
}

TEST_CASE("no repetition is needed while all first repetitions of a point have failed") {
  Planned planned;
  planned.measure();
  planned.plan_until_certain(1);
  const std::string failing = id_of(planned, 2, 1);
  REQUIRE(planned.run({"submit", "p", id_of(planned, 1, 1)}).exit_code == 0);
  CHECK(counts(planned) == "8 runs: 7 planned, 1 done");  // the run of 2 GPUs is still planned
  base::write_file_atomically(planned.dlscale.folder / "p/fail", "");
  CHECK(planned.run({"submit", "p", failing}).exit_code == 1);
  CHECK(counts(planned) == "8 runs: 1 done, 6 not_needed, 1 failed");
  CHECK_THAT(planned.run({"status", "p"}).out, Contains("not needed until the first repetitions"));
  std::filesystem::remove(planned.dlscale.folder / "p/fail");
  CHECK(planned.run({"retry", "p", failing}).exit_code == 0);
  CHECK(counts(planned) == "8 runs: 6 planned, 2 done");  // one result per point gives no interval
}
