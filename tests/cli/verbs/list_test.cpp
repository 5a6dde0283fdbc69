// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale list` and `dlscale plan show` on a folder with some results.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/cli/planned_demo.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::StartsWith;

namespace {

using Planned = test::PlannedDemo;

std::ptrdiff_t listed_lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

}  // namespace

TEST_CASE("list shows the varying values and the progress of runs") {
  Planned planned;
  planned.complete(planned.ids[0]);
  const test::Ran ran = planned.dlscale.run({"list", "demo"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, StartsWith("4 runs: 3 planned, 1 done\n\n"));
  CHECK_THAT(ran.out, Contains("state") && Contains("framework") && Contains("gpus") &&
                          Contains(planned.ids[0] + "  done "));
  CHECK_THAT(ran.out, !Contains("lr_schedule") && !Contains("job"));
  CHECK(ran.err == "");
}

TEST_CASE("list accepts a selection and reports how many runs match") {
  Planned planned;
  const test::Ran ran = planned.dlscale.run({"list", "demo", "ddp-*", "--where", "gpus == 2"});
  CHECK(ran.err == "1 of 4 runs match\n");
  CHECK_THAT(ran.out, StartsWith("1 run: 1 planned\n"));
  const test::Ran none = planned.dlscale.run({"list", "demo", "--run", "x*"});
  CHECK(none.exit_code == 3);
  CHECK(none.err == "dlscale: 0 of 4 runs match\n");
  CHECK(planned.dlscale.run({"list", "demo", "--run", "x*", "--allow-empty"}).exit_code == 0);
}

TEST_CASE("list writes CSV and JSON with every column") {
  Planned planned;
  const test::Ran csv = planned.dlscale.run({"list", "demo", "--csv"});
  CHECK_THAT(csv.out, StartsWith("run_id,state,framework,model,loader,lr_schedule,"));
  CHECK(listed_lines(csv.out) == 5);
  const test::Ran json = planned.dlscale.run({"list", "demo", "--json"});
  CHECK_THAT(json.out, StartsWith("[") && Contains("\"state\":\"planned\"") &&
                           Contains("\"run_id\":\"" + planned.ids[3] + "\""));
  CHECK(planned.dlscale.run({"list", "demo", "--json", "--csv"}).exit_code == 2);
}

TEST_CASE("runs with results of an earlier description are marked as stale") {
  Planned planned;
  CHECK_THAT(planned.dlscale.run({"list", "demo"}).out, !Contains("stale"));
  planned.complete(planned.ids[0]);
  CHECK_THAT(planned.plan({"-S", "resources.cores_per_rank=2"}).out,
             Contains("stale: " + planned.ids[0]));
  const test::Ran list = planned.dlscale.run({"list", "demo"});
  CHECK_THAT(list.out, StartsWith("4 runs: 3 planned, 1 done; 1 of them stale\n"));
  CHECK_THAT(planned.dlscale.run({"list", "demo", "--json"}).out, Contains("\"stale\":true"));
  CHECK_THAT(planned.dlscale.run({"list", "demo", "--csv"}).out,
             Contains(",stale\n" + planned.ids[0] + ",done,"));
  CHECK_THAT(
      planned.dlscale.run({"plan", "show", "demo", planned.ids[0]}).out,
      Contains(
          "  stale          the results of the run come from an earlier description of the run\n"));
  CHECK_THAT(planned.plan({"-S", "resources.cores_per_rank=2"}).out, Contains(" 0 files written"));
  CHECK_THAT(planned.plan({}).out, !Contains("stale"));
  CHECK_THAT(planned.dlscale.run({"list", "demo"}).out, !Contains("stale"));
}

TEST_CASE("plan --json marks stale runs like list") {
  Planned planned;
  planned.complete(planned.ids[0]);
  const test::Ran ran = planned.plan({"--json", "-S", "resources.cores_per_rank=2"});
  const contract::Plan plan = contract::plan_from_json(ran.out, "out");
  CHECK(std::count_if(plan.runs.begin(), plan.runs.end(), [](auto& run) { return run.stale; }) ==
        1);
  CHECK(plan == contract::read_plan(planned.folder));
}

TEST_CASE("the error for a damaged plan.json names a repair that keeps results and stale marks") {
  Planned planned;
  planned.complete(planned.ids[0]);
  planned.plan({"-S", "resources.cores_per_rank=2"});
  const auto text = [&] { return base::read_file(planned.folder.plan_json()); };
  const auto kept = planned.folder.run(planned.ids[0]);
  const std::string plan = text(), json = base::read_file(kept.run_json());
  for (const std::string& damaged : {plan.substr(0, plan.size() / 2), std::string("no JSON"),
                                     std::string("{\"schema_version\": 9}")}) {
    base::write_file_atomically(planned.folder.plan_json(), damaged);
    const test::Ran list = planned.dlscale.run({"list", "demo"});
    CHECK(list.exit_code == 2);
    CHECK_THAT(list.err,
               StartsWith("dlscale: demo/plan.json") && Contains("; run dlscale plan STUDY "
                                                                 "-o demo "));
    const test::Ran again = planned.plan({"-S", "resources.cores_per_rank=2"});
    CHECK(again.exit_code == 0);
    CHECK_THAT(again.out, Contains("stale: " + planned.ids[0]) && Contains(" 1 files written"));
    CHECK(text() == plan);
    CHECK(base::read_file(kept.run_json()) == json);
    CHECK(kept.launches().size() == 1);
  }
  base::write_file_atomically(planned.folder.plan_json(), "no JSON");
  const test::Ran other = planned.plan({"-S", "study.name='other'"});
  CHECK(other.exit_code == 2);
  CHECK_THAT(other.err, Contains("demo holds the plan of study \"demo\", not of \"other\""));
  CHECK(text() == "no JSON");
}

TEST_CASE("list --jobs prints the scripts of runs that neither wait, run nor are done") {
  Planned planned;
  planned.complete(planned.ids[0]);
  const auto script = [&](int i) { return "demo/jobs/" + planned.ids[i] + ".sh\n"; };
  CHECK(planned.dlscale.run({"list", "demo", "--jobs"}).out == script(1) + script(2) + script(3));
  const test::Ran ddp = planned.dlscale.run({"list", "demo", "ddp-*", "--jobs"});
  CHECK(ddp.out == script(2) + script(3));
  (void)planned.folder.run(planned.ids[2]).make_next_launch();
  const test::Ran busy = planned.dlscale.run({"list", "demo", "--jobs"});
  CHECK(busy.out == script(1) + script(3));
  CHECK(busy.err == "left out: 1 job with runs that are submitted or running\n");
  CHECK(planned.dlscale.run({"list", "demo", "--jobs", "--json"}).exit_code == 2);
}

TEST_CASE("list rejects a folder without a plan and a malformed condition") {
  Planned planned;
  const test::Ran nowhere = planned.dlscale.run({"list"});
  CHECK(nowhere.exit_code == 2);
  CHECK_THAT(nowhere.err, Contains("no plan.json in ."));
  const test::Ran typo = planned.dlscale.run({"list", "demo", "--where", "gpu == 2"});
  CHECK(typo.exit_code == 2);
  CHECK_THAT(typo.err, Contains("did you mean \"gpus\"?"));
  CHECK(listed_lines(typo.err) == 1);
}

TEST_CASE("plan show prints a run's values, job and script") {
  Planned planned;
  const test::Ran ran = planned.dlscale.run({"plan", "show", "demo", planned.ids[3]});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, StartsWith(planned.ids[3] + "\n  state          planned\n"));
  CHECK_THAT(ran.out, Contains("  global batch   64\n") && Contains("  steps/epoch    94\n") &&
                          Contains("  LR base        0.05\n") &&
                          Contains("  LR rule        linear\n") &&
                          Contains("  LR peak        0.1\n") && Contains("  warm-up steps  47\n") &&
                          Contains("  script         demo/jobs/"));
}

TEST_CASE("plan show accepts globs and a unique prefix of an id") {
  Planned planned;
  CHECK_THAT(planned.dlscale.run({"plan", "show", "demo", "ddp-*"}).out, Contains(planned.ids[3]));
  const std::string beginning = planned.ids[3].substr(0, planned.ids[3].size() - 3);
  CHECK_THAT(planned.dlscale.run({"plan", "show", "demo", beginning}).out,
             StartsWith(planned.ids[3]));
  const test::Ran several = planned.dlscale.run({"plan", "show", "demo", "ddp"});
  CHECK(several.exit_code == 2);
  CHECK_THAT(several.err, Contains("2 runs begin with ddp: " + planned.ids[2]));
}

TEST_CASE("plan show --json prints run descriptions that can be read back") {
  Planned planned;
  const test::Ran ran = planned.dlscale.run({"plan", "show", "demo", planned.ids[0], "--json"});
  CHECK(ran.out == base::read_file(planned.folder.run(planned.ids[0]).run_json()));
}

TEST_CASE("plan show rejects an unknown run, a missing run and a missing folder") {
  Planned planned;
  const test::Ran unknown = planned.dlscale.run({"plan", "show", "demo", "nobody"});
  CHECK(unknown.exit_code == 3);
  CHECK(unknown.err == "dlscale: no run matches nobody; dlscale list shows all runs\n");
  CHECK(planned.dlscale.run({"plan", "show", "demo"}).exit_code == 2);
  CHECK_THAT(planned.dlscale.run({"plan", "show", "nobody"}).err,
             Contains("no plan.json in nobody or in the current"));
}

TEST_CASE("a run of an unstarted array task is read from the array's table") {
  Planned planned;
  const std::string file = planned.folder.plan_json().string();
  contract::Plan plan = contract::plan_from_json(base::read_file(file), file);
  std::string table = "{}\n";
  for (const std::string& id : planned.ids) {
    std::string json = base::read_file(planned.folder.run(id).run_json());
    std::erase(json, '\n');
    table += json + "\n";
    std::filesystem::remove(planned.folder.run(id).run_json());
  }
  base::write_file_atomically(planned.folder.run_table("g1"), table);
  plan.jobs.resize(1);
  plan.jobs[0] = {"g1-1", planned.ids, {}, contract::JobKind::array, "", 0, "g1", 1};
  for (auto& run : plan.runs) run.job = "g1-1";
  base::write_file_atomically(planned.folder.plan_json(), contract::to_json(plan));
  const test::Ran ran = planned.dlscale.run({"plan", "show", "demo", planned.ids[1]});
  CHECK_THAT(ran.out, StartsWith(planned.ids[1]) && Contains("task 2 of 4, array g1-1"));
}
