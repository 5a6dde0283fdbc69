// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale plan` on a folder with an earlier plan.
#include <algorithm>
#include <catch2/catch.hpp>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "tests/cli/dlscale_program.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::EndsWith;
using Catch::StartsWith;

namespace {

/// Folder with the plan of the starter study of `dlscale init study`. The plan has 6 points and 3
/// repetitions, and some runs have results.
struct Planned {
  test::DlscaleProgram dlscale;
  contract::PlanDir out{dlscale.folder / "out"};
  Planned() {
    REQUIRE(dlscale.run({"init", "study"}).exit_code == 0);
    REQUIRE(plan({}).exit_code == 0);
  }
  test::Ran plan(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"plan", "study.toml", "-o", "out"});
    return dlscale.run(arguments);
  }
  std::string start(std::size_t run) {
    const std::string id = contract::read_plan(out).runs[run].run_id;
    (void)out.run(id).make_next_launch();
    return id;
  }
};

const std::vector<std::string> kChanged{"-S", "training.epochs=7"};

}  // namespace

TEST_CASE("plan reports runs with results that it lacks, each time") {
  Planned planned;
  CHECK_THAT(planned.plan(kChanged).out, !Contains("with results"));
  REQUIRE(planned.plan({}).exit_code == 0);
  const std::string first = planned.start(0);
  const std::string one = "1 run with results is not in this plan: " + first +
                          "; it stays in out/runs/, but dlscale collect skips it\n";
  CHECK_THAT(planned.plan(kChanged).out, Contains(one));
  CHECK_THAT(planned.plan(kChanged).out, Contains(one));
  REQUIRE(planned.plan({}).exit_code == 0);
  for (const std::size_t run : {1, 2, 3}) planned.start(run);
  CHECK_THAT(planned.plan(kChanged).out,
             Contains("4 runs with results are not in this plan: ") &&
                 Contains(", …; they stay in out/runs/, but dlscale collect skips them\n"));
  CHECK_THAT(planned.plan({}).out, !Contains("with results"));
}

TEST_CASE("plan --diff marks removed runs that have results, also in JSON") {
  Planned planned;
  const std::string first = planned.start(0);
  std::vector<std::string> diff = kChanged;
  diff.emplace_back("--diff");
  const test::Ran ran = planned.plan(diff);
  CHECK_THAT(ran.out, Contains("\n- " + first + " (has results)\n") &&
                          Contains("18 added, 18 removed, 0 changed, 0 stale, 0 unchanged\n") &&
                          EndsWith("it stays in out/runs/, but dlscale collect skips it\n"));
  diff.emplace_back("--json");
  const std::string json = planned.plan(diff).out;
  CHECK_THAT(json, Contains("{\"run_id\":\"" + first + "\",") && Contains("\"has_results\":true}"));
  CHECK(json.find("has_results") == json.rfind("has_results"));
}

TEST_CASE("plan --diff reports unchanged runs that move to other jobs") {
  Planned planned;
  base::write_file_atomically(planned.dlscale.folder / "c.toml",
                              "scheduler = 'slurm'\nlauncher = 'srun'\nwalltime = '01:00:00'\n"
                              "[[partitions]]\nname = 'p'\ncores_per_node = 8\n");
  REQUIRE(planned.plan({"--site", "c.toml"}).exit_code == 0);
  CHECK(planned.plan({"--site", "c.toml", "--diff"}).out ==
        "0 added, 0 removed, 0 changed, 0 stale, 18 unchanged\n");
  const std::vector<std::string> array{"--site", "c.toml", "-S", "launch.array=true", "--diff"};
  CHECK(planned.plan(array).out ==
        "0 added, 0 removed, 0 changed, 0 stale, 18 unchanged (18 of them in other jobs)\n");
}

TEST_CASE("plan --json prints JSON even if nothing is selected") {
  Planned planned;
  const std::vector<std::string> nothing{"-n", "--json", "--allow-empty", "--where", "gpus == 9"};
  const test::Ran ran = planned.plan(nothing);
  CHECK(ran.exit_code == 0);
  CHECK(contract::plan_from_json(ran.out, "out").runs.empty());
  CHECK_THAT(ran.err, Contains("nothing to plan"));
  CHECK_THAT(planned.plan({"--diff", "--json", "--allow-empty", "--where", "gpus == 9"}).out,
             StartsWith("{"));
}

TEST_CASE("errors about the limit on the command line name its option") {
  Planned planned;
  const std::vector<std::string> walltime{"-n", "-S", "resources.walltime='01:00:00'"};
  std::vector<std::string> low = walltime;
  low.insert(low.end(), {"--max-gpu-hours", "1"});
  CHECK_THAT(planned.plan(low).err,
             StartsWith("dlscale: --max-gpu-hours 1: resources.max_gpu_hours: the plan may take"));
  low.back() = "-1";
  const test::Ran negative = planned.plan(low);
  CHECK(negative.exit_code == 2);
  CHECK_THAT(negative.err,
             Contains("--max-gpu-hours -1: resources.max_gpu_hours: must be at least 0"));
}

TEST_CASE("plan show accepts the selection options of the other commands") {
  Planned planned;
  const test::Ran ran =
      planned.dlscale.run({"plan", "show", "out", "--where", "gpus == 2 && repetition == 1"});
  CHECK(ran.exit_code == 0);
  CHECK(ran.err == "3 of 18 runs match\n");
  CHECK_THAT(ran.out, Contains("-g2-") && Contains("-r1\n") && !Contains("-g1-"));
  const test::Ran both =
      planned.dlscale.run({"plan", "show", "out", "*-r1", "*-r2", "--where", "repetition == 2"});
  CHECK_THAT(both.out, Contains("-r2\n") && !Contains("-r1\n"));
  CHECK(planned.dlscale.run({"plan", "show", "out", "--where", "gpus == 9"}).exit_code == 3);
  CHECK(planned.dlscale.run({"plan", "show", "out"}).exit_code == 2);
  const test::Ran nowhere = planned.dlscale.run({"plan", "show", "nosuch", "x"});
  CHECK(nowhere.exit_code == 2);
  CHECK_THAT(nowhere.err, Contains("no plan.json in nosuch or in the current folder"));
}
