// SPDX-License-Identifier: Apache-2.0
// Tests of the options of `dlscale plan`, and of `dlscale templates`.
#include <algorithm>
#include <catch2/catch.hpp>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "tests/cli/dlscale_program.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::StartsWith;

namespace {

/// Folder with the starter study of `dlscale init study`, which has 6 points and 3 repetitions.
struct Starter {
  test::DlscaleProgram dlscale;
  Starter() { REQUIRE(dlscale.run({"init", "study"}).exit_code == 0); }
  test::Ran plan(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"plan", "study.toml", "-o", "out"});
    return dlscale.run(arguments);
  }
  bool wrote() const { return std::filesystem::exists(dlscale.folder / "out"); }
};

/// Removes spaces and line ends.
std::string joined(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

std::ptrdiff_t lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

}  // namespace

TEST_CASE("plan --explain shows the arithmetic of each point, and shared values once") {
  Starter starter;
  const test::Ran ran = starter.plan({"--explain", "-n"});
  CHECK_THAT(ran.out,
             StartsWith("6 points: nodes 1, batch/GPU 32, accumulation 1, last batch pad"));
  CHECK_THAT(ran.out, Contains("LR base 0.05, LR rule linear") &&
                          Contains("global batch  steps/epoch  LR peak  warm-up steps") &&
                          Contains("64           94      0.1             47"));
  CHECK_FALSE(starter.wrote());
  CHECK_THAT(starter.plan({"-n", "--explain=ddp-mlp-*-step-*"}).out, StartsWith("2 points: "));
  CHECK(starter.plan({"-n", "--explain=nobody"}).exit_code == 3);
}

TEST_CASE("plan --diff lists exactly the runs that a new axis value adds, and writes nothing") {
  Starter starter;
  REQUIRE(starter.plan({}).exit_code == 0);
  CHECK(starter.plan({"--diff"}).out == "0 added, 0 removed, 0 changed, 0 stale, 18 unchanged\n");
  const test::Ran ran = starter.plan({"--diff", "-S", "matrix.gpus=[1, 2, 4]"});
  CHECK(lines(ran.out) == 10);
  CHECK_THAT(ran.out, StartsWith("+ synchronous-mlp-g4-") &&
                          Contains("\n9 added, 0 removed, 0 changed, 0 stale, 18 unchanged\n"));
  CHECK_THAT(starter.plan({}).out, Contains("out: 0 files written, 40 unchanged\n"));
}

TEST_CASE("plan --diff --json prints the diff as one JSON object") {
  Starter starter;
  REQUIRE(starter.plan({}).exit_code == 0);
  CHECK(joined(starter.plan({"--diff", "--json"}).out) ==
        R"({"added":[],"removed":[],"changed":[],"stale":[],"unchanged":18,)"
        R"("gpu_hours":{"added":0.0,"changed":0.0,"removed":0.0,"stale":0.0}})");
  const test::Ran more = starter.plan({"--diff", "--json", "-S", "matrix.gpus=[1, 2, 4]"});
  CHECK_THAT(more.out, Contains("\"run_id\":\"synchronous-mlp-g4-"));
  const test::Ran other = starter.plan({"--diff", "--json", "-S", "resources.cores_per_rank=2"});
  CHECK_THAT(other.out,
             Contains("\"keys\":[\"resources.cores_per_rank\"]") && Contains("\"unchanged\": 0,"));
  const test::Ran both = starter.plan({"--resolved", "--json"});
  CHECK(both.exit_code == 2);
  CHECK(both.out == "");
  CHECK(lines(both.err) == 1);
}

TEST_CASE("plan reports other runs and scripts in the folder that it lacks") {
  Starter starter;
  REQUIRE(starter.plan({}).exit_code == 0);
  const test::Ran part = starter.plan({"--where", "gpus == 1"});
  CHECK_THAT(
      part.out,
      Contains("the earlier plan of this folder had 9 more runs; ") &&
          Contains("\n9 scripts in out/jobs/ are from earlier plans and not part of this plan: "
                   "ddp-mlp-") &&
          Catch::EndsWith(", …\n"));
  CHECK_THAT(starter.plan({"--where", "gpus == 1"}).out,
             !Contains("the earlier plan of this folder had"));
  CHECK_THAT(starter.plan({}).out, !Contains("earlier plans"));
}

TEST_CASE("plan --where and --run plan the matching points with all repetitions") {
  Starter starter;
  const test::Ran ran = starter.plan({"--where", "gpus == 2", "--run", "ddp-*"});
  CHECK(ran.err == "6 of 18 runs match\n");
  CHECK_THAT(ran.out, StartsWith("study: 6 runs in 6 jobs"));
  CHECK_THAT(starter.plan({}).out, StartsWith("study: 18 runs in 18 jobs"));
}

TEST_CASE("plan rejects a selection that is empty or that splits a point") {
  Starter starter;
  const test::Ran none = starter.plan({"--where", "gpus == 9"});
  CHECK(none.exit_code == 3);
  CHECK(none.err == "dlscale: 0 of 18 runs match\n");
  const test::Ran allowed = starter.plan({"--where", "gpus == 9", "--allow-empty"});
  CHECK(allowed.exit_code == 0);
  CHECK(allowed.out == "nothing to plan\n");
  const test::Ran part = starter.plan({"--where", "repetition == 1"});
  CHECK(part.exit_code == 2);
  CHECK_THAT(part.err, Contains("1 of the 3 repetitions of synchronous-mlp-g1-"));
  CHECK_FALSE(starter.wrote());
}

TEST_CASE(
    "plan --max-gpu-hours rejects the plan, and with --fit leaves out points and lists them") {
  Starter starter;
  const std::vector<std::string> wide{"-n",
                                      "-S",
                                      "resources.walltime='01:00:00'",
                                      "-S",
                                      "matrix.gpus=[1, 2, 4, 8]",
                                      "--max-gpu-hours",
                                      "100"};
  const test::Ran refused = starter.plan(wide);
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Contains("up to 135 GPU-hours") && Contains("the limit is 100"));
  std::vector<std::string> fit = wide;
  fit.emplace_back("--fit");
  const test::Ran ran = starter.plan(fit);
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("GPU-hours by gpus: 1: 9, 2: 18, 8: 72\n") &&
                          Contains("skipped 3 points: left out to stay within 100 GPU-hours"));
}

TEST_CASE("plan --resolved prints a study that plans the same runs") {
  Starter starter;
  REQUIRE(starter.plan({}).exit_code == 0);
  const test::Ran ran = starter.plan({"--resolved", "-S", "training.epochs=7"});
  CHECK_THAT(ran.out, Contains("epochs = 7\n") && Contains("precision = \"fp32\"\n"));
  const test::Ran plain = starter.plan({"--resolved"});
  base::write_file_atomically(starter.dlscale.folder / "study.toml", plain.out);
  CHECK(starter.plan({"--diff"}).out == "0 added, 0 removed, 0 changed, 0 stale, 18 unchanged\n");
}

TEST_CASE("plan --template makes the scripts from the user's file") {
  Starter starter;
  const std::string shipped = starter.dlscale.run({"templates", "show", "local.sh"}).out;
  base::write_file_atomically(starter.dlscale.folder / "mine.mustache", shipped + "# {{model}}\n");
  CHECK(starter.plan({"--template", "mine.mustache"}).exit_code == 0);
  for (const auto& script :
       std::filesystem::directory_iterator(starter.dlscale.folder / "out/jobs")) {
    CHECK_THAT(base::read_file(script.path()), Catch::EndsWith("# mlp\n"));
  }
  base::write_file_atomically(starter.dlscale.folder / "bad.mustache", "{{modle}}\n");
  const test::Ran bad = starter.plan({"--template", "bad.mustache"});
  CHECK(bad.exit_code == 2);
  CHECK_THAT(bad.err,
             Contains("bad.mustache:1:1: unknown name \"modle\"; did you mean \"model\"?"));
  CHECK(starter.plan({"--template", "none.mustache"}).exit_code == 2);
}

TEST_CASE("an edited partial next to the user's template is used when planning again") {
  Starter starter;
  base::write_file_atomically(starter.dlscale.folder / "my.sh", "#!/bin/bash\n{{>note}}\n");
  base::write_file_atomically(starter.dlscale.folder / "note.mustache", "# one\n");
  CHECK(starter.plan({"--template", "my.sh"}).exit_code == 0);
  CHECK_THAT(starter.plan({"--template", "my.sh"}).out, Contains("out: 0 files written"));
  base::write_file_atomically(starter.dlscale.folder / "note.mustache", "# two\n");
  CHECK_THAT(starter.plan({"--template", "my.sh"}).out, Contains("out: 18 files written"));
}

TEST_CASE("arrays of the folder's plan stay unchanged when the study grows") {
  Starter starter;
  base::write_file_atomically(starter.dlscale.folder / "c.toml",
                              "scheduler = 'slurm'\nlauncher = 'srun'\nwalltime = '01:00:00'\n"
                              "[[partitions]]\nname = 'p'\ncores_per_node = 8\n");
  const std::vector<std::string> array{"--site", "c.toml", "-S", "launch.array=true"};
  REQUIRE(starter.plan(array).exit_code == 0);
  const auto files = [&] {
    std::map<std::string, std::string> texts;
    for (const auto& entry :
         std::filesystem::directory_iterator(starter.dlscale.folder / "out/jobs")) {
      texts[entry.path().filename()] = base::read_file(entry.path());
    }
    return texts;
  };
  const auto before = files();
  std::vector<std::string> more = array;
  more.insert(more.end(), {"-S", "study.repeats=4"});
  const test::Ran ran = starter.plan(more);
  CHECK_THAT(ran.out, !Contains("from earlier plans"));
  const auto after = files();
  CHECK(after.size() > before.size());
  for (const auto& [name, text] : before) CHECK(after.at(name) == text);
  std::string added;
  for (const auto& [name, text] : after) {
    if (!before.contains(name) && name.ends_with(".runs")) added += text;
  }
  CHECK(lines(added) == 6);
  CHECK(added.find("-r3\"") == std::string::npos);
}

TEST_CASE("runs submitted as single jobs do not become array tasks") {
  Starter starter;
  base::write_file_atomically(starter.dlscale.folder / "c.toml",
                              "scheduler = 'slurm'\nlauncher = 'srun'\nwalltime = '01:00:00'\n"
                              "[[partitions]]\nname = 'p'\ncores_per_node = 8\n");
  const contract::PlanDir out(starter.dlscale.folder / "out");
  REQUIRE(starter.plan({"--site", "c.toml"}).exit_code == 0);
  const contract::Plan before = contract::read_plan(out);
  const std::string submitted = before.jobs[1].name, started = before.jobs[4].name;
  base::write_file_atomically(out.launch_log(), "{\"event\":\"submitting\",\"job\":\"" + submitted +
                                                    "\",\"launch\":\"one\",\"runs\":[\"" +
                                                    before.jobs[1].run_ids[0] + "\"]}\n");
  (void)out.run(before.jobs[4].run_ids[0]).make_next_launch();
  REQUIRE(starter.plan({"--site", "c.toml", "-S", "launch.array=true"}).exit_code == 0);
  std::vector<std::string> single;
  for (const auto& job : contract::read_plan(out).jobs) {
    if (job.kind == contract::JobKind::single) single.push_back(job.name);
  }
  CHECK(single == std::vector<std::string>{submitted, started});
}

TEST_CASE("a run shared by weak and strong scaling is planned and compared once") {
  Starter starter;
  base::write_file_atomically(
      starter.dlscale.folder / "study.toml",
      "[study]\nname = 's'\nrepeats = 2\n[matrix]\nmodel = 'mlp'\ngpus = [1, 2]\n"
      "[training]\nlr.base = 0.1\n[[substudy]]\nname = 'weak'\nmatrix.batch_per_gpu = 32\n"
      "[[substudy]]\nname = 'strong'\nscaling = 'strong'\nmatrix.global_batch = 64\n");
  CHECK_THAT(starter.plan({}).out, StartsWith("s: 6 runs in 6 jobs"));
  CHECK(starter.plan({"--diff"}).out == "0 added, 0 removed, 0 changed, 0 stale, 6 unchanged\n");
  CHECK_THAT(starter.plan({"--diff", "-S", "study.repeats=3"}).out,
             Contains("\n3 added, 0 removed, 0 changed, 0 stale, 6 unchanged\n"));
  for (const std::string name : {"weak", "strong"}) {
    CHECK(starter.dlscale.run({"list", "out", "--where", "substudy == '" + name + "'"}).err ==
          "4 of 6 runs match\n");
  }
}

TEST_CASE("runs of another trainer show only the values of the study") {
  Starter starter;
  base::write_file_atomically(starter.dlscale.folder / "study.toml",
                              "[study]\nname = 's'\n[matrix]\nmodel = 'vit'\ngpus = [1, 2]\n"
                              "batch_per_gpu = 8\n[trainer]\ncommand = 'train {{model}}'\n");
  const test::Ran plan = starter.plan({"--explain"});
  CHECK_THAT(plan.out, StartsWith("2 points: nodes 1, batch/GPU 8, accumulation 1\n"));
  CHECK_THAT(plan.out, !Contains("ddp") && !Contains("constant"));
  const test::Ran csv = starter.dlscale.run({"list", "out", "--csv"});
  CHECK_THAT(csv.out, StartsWith("run_id,state,model,gpus,batch_per_gpu,global_batch,lr_peak,") &&
                          Contains("planned,vit,1,8,8,,1,"));
  const test::Ran show = starter.dlscale.run({"plan", "show", "out", "vit-g1-*"});
  CHECK_THAT(show.out, Contains("  epochs         -\n") && Contains("  LR rule        -\n") &&
                           Contains("x 1 core, cpu\n"));
  const test::Ran resolved = starter.plan({"--resolved"});
  CHECK_THAT(resolved.out, !Contains("epochs") && !Contains("ddp"));
}

TEST_CASE("templates lists, shows and explains the templates of scripts") {
  test::DlscaleProgram dlscale;
  CHECK_THAT(dlscale.run({"templates", "list"}).out, Contains("slurm.sh") && Contains("includes"));
  CHECK_THAT(dlscale.run({"templates", "names"}).out, Contains("global_batch"));
  const test::Ran typo = dlscale.run({"templates", "show", "slrm.sh"});
  CHECK(typo.exit_code == 2);
  CHECK_THAT(typo.err, Contains("did you mean \"slurm.sh\"?"));
  CHECK(dlscale.run({"templates", "list", "nowhere"}).exit_code == 2);
  CHECK(dlscale.run({"templates"}).exit_code == 2);
}
