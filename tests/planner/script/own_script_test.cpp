// SPDX-License-Identifier: Apache-2.0
// Tests of job scripts that run a training script of the user.
#include <catch2/catch.hpp>

#include "tests/planner/bash_run.hpp"
#include "tests/planner/planned.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;

namespace {

const std::string kLocal = "scheduler = 'local'\ndevice = 'cpu'\n";
const std::string kCluster =
    "scheduler = 'slurm'\nlauncher = 'srun'\ndevice = 'cuda'\nwalltime = '01:00:00'\n"
    "[[partitions]]\nname = 'p'\ngpus_per_node = 4\ncores_per_node = 4\n";

std::string study_of(const std::string& trainer, const std::string& matrix,
                     const std::string& rest = "") {
  return "[study]\nname = 's'\n[trainer]\n" + trainer + "\n[matrix]\ngpus = [1, 2]\n" +
         "batch_per_gpu = 8\n" + matrix + "\n" + rest;
}

/// Plan of a study in a temporary folder. The plan is written to the folder `plan` in the temporary
/// folder.
struct OwnPlan {
  test::TempDir dir;
  contract::PlanDir out{dir / "plan"};
  planner::Planning planning;

  void file(const std::string& name, const std::string& text) const {
    base::write_file_atomically(dir / name, text);
  }
  void plan(const std::string& study, const std::string& site = kLocal) {
    planning = test::plan_texts(study, site, dir);
    planner::write_plan(planning, test::shipped_resources(), out);
  }
  std::string script(std::size_t job = 0) const {
    return base::read_file(out.job_script(planning.plan.jobs[job].name));
  }
  test::ShellResult start(std::size_t job = 0, const std::string& before = "") const {
    return test::run_bash(
        before + "bash " +
        planner::shell_quote(out.job_script(planning.plan.jobs[job].name).string()));
  }
  std::string in_launch(std::size_t run, const std::string& file, int launch = 1) const {
    return base::read_file(out.run(planning.plan.runs[run].run_id).launch(launch).root() / file);
  }
};

std::string plan_error(OwnPlan& plan, const std::string& study) {
  std::string error = test::error_of([&] { plan.plan(study); });
  CHECK_FALSE(std::filesystem::exists(plan.out.root()));
  const std::string folder = plan.dir.path().string() + "/";
  for (std::size_t at; (at = error.find(folder)) != std::string::npos;) {
    error.erase(at, folder.size());
  }
  return error;
}

}  // namespace

TEST_CASE("a script next to the study runs in the launch folder without a model axis") {
  OwnPlan plan;
  plan.file("train.sh", "echo \"$PWD $*\"");
  plan.plan(
      study_of("command = 'bash train.sh {{ranks}} {{launch_folder}} {{master_address}}'", ""));
  CHECK(plan.planning.run(0).trainer.command.find("bash train.sh") == 0);
  CHECK(plan.planning.run(0).model.empty());
  CHECK(plan.start(1).exit_code == 0);
  const std::string folder =
      plan.out.run(plan.planning.plan.runs[1].run_id).launch(1).root().string();
  CHECK(plan.in_launch(1, "stdout") == folder + " 2 " + folder + " 127.0.0.1\n");
}

TEST_CASE("moving the study's folder does not change run ids") {
  OwnPlan a, b;
  for (OwnPlan* plan : {&a, &b}) {
    plan->file("train.sh", "");
    plan->plan(
        study_of("command = 'bash train.sh {{study_folder}}'\n"
                 "environment_setup = 'source {{study_folder}}/e'",
                 ""));
  }
  CHECK(a.planning.plan.runs[0].run_id == b.planning.plan.runs[0].run_id);
  CHECK(a.script() != b.script());
}

TEST_CASE("environment_setup runs before the command and does not change run ids") {
  OwnPlan plan, plain;
  plan.file("env.sh", "SETUP=ready");
  const std::string command = "command = 'echo $SETUP $STUDY'\n";
  plan.plan(study_of(command + "environment_setup = ['set -a; source env.sh', "
                               "'export STUDY={{study}}']",
                     ""));
  plain.plan(study_of(command, ""));
  CHECK(plan.start().exit_code == 0);
  CHECK(plan.in_launch(0, "stdout") == "ready s\n");
  CHECK(plan.planning.plan.runs[0].run_id == plain.planning.plan.runs[0].run_id);
  OwnPlan wrong;
  CHECK(plan_error(wrong, study_of(command + "environment_setup = 'x {{gpus}}'", ""))
            .rfind("study.toml:5:21: trainer.environment_setup: unknown name \"gpus\"", 0) == 0);
}

TEST_CASE("a failed line of environment_setup ends the job before the command and names the line") {
  const std::string command = "command = 'echo trained'\n";
  for (const std::string line : {"source missing/bin/activate",
                                 "activate() { true; false; }; activate", "set -e; (exit 7)"}) {
    OwnPlan plan;
    plan.plan(study_of(
        command + "environment_setup = ['export A=1', '" + line + "', 'touch later']", ""));
    const test::ShellResult job = plan.start();
    CHECK(job.exit_code == 2);
    CHECK_THAT(job.out, Catch::Contains("trainer.environment_setup: \"" + line +
                                        "\" ended with exit code "));
    CHECK_FALSE(std::filesystem::exists(plan.out.root() / "later"));
    CHECK(plan.out.run(plan.planning.plan.runs[0].run_id).launches().empty());
  }
}

TEST_CASE("environment_setup may contain commands that fail inside a line which succeeds") {
  OwnPlan plan;
  plan.file("env.sh", "false\nfalse\nSETUP=ready\n");
  plan.plan(study_of(
      "command = 'echo $SETUP'\n"
      "environment_setup = ['[ -f missing ] && source missing', 'false || true', 'set -a -E', "
      "'source env.sh', 'if false; then', 'true', 'fi', 'f() { false; true; }; f']",
      ""));
  CHECK(plan.start().exit_code == 0);
  CHECK(plan.in_launch(0, "stdout") == "ready\n");
}

TEST_CASE("each launch gets its own copy of the configuration files") {
  OwnPlan plan;
  plan.file("c.yaml", "id: {{run_id}}\nout: \"{{launch_folder}}\"\nport: {{master_port}}\n");
  plan.file("c.json", "{\"n\": {{gpus}}}");
  const std::string files =
      "\n[[trainer.files]]\ntemplate = 'c.yaml'\nto = 'conf/c.yaml'\n"
      "[[trainer.files]]\ntemplate = 'c.json'\nto = 'c.json'\n";
  plan.plan(study_of("command = 'cat c.json conf/c.yaml && false'" + files, ""));
  for (const int launch : {1, 2}) {
    CHECK(plan.start().exit_code == 1);
    const std::string id = plan.planning.plan.runs[0].run_id;
    const std::string folder = plan.out.run(id).launch(launch).root().string();
    const std::string out = plan.in_launch(0, "stdout", launch);
    CHECK(out.rfind("{\"n\": 1}id: \"" + id + "\"\nout: \"" + folder + "\"\nport: 2", 0) == 0);
    CHECK(plan.in_launch(0, "conf/c.yaml", launch) == out.substr(8));
  }
}

TEST_CASE("a changed template makes other runs, and an unchanged plan is not written again") {
  OwnPlan plan;
  const std::string study = study_of(
      "command = 'cat c.json'\n[[trainer.files]]\ntemplate = 'c.json'\nto = 'c.json'\n", "");
  plan.file("c.json", "{\"n\": {{gpus}}}");
  plan.plan(study);
  const std::string id = plan.planning.plan.runs[0].run_id;
  CHECK(planner::write_plan(plan.planning, test::shipped_resources(), plan.out).written == 0);
  std::filesystem::remove(plan.out.runs() / id / "files/c.json");
  plan.plan(study);
  CHECK(base::read_file(plan.out.runs() / id / "files/c.json") == "{\"n\": 1}");
  plan.file("c.json", "{\"m\": {{gpus}}}");
  plan.plan(study);
  CHECK(plan.planning.plan.runs[0].run_id != id);
}

TEST_CASE("array tasks and packed runs get their own variables and files") {
  for (const std::string launch : {"array", "pack"}) {
    OwnPlan plan;
    plan.file("c.json", "{\"id\": {{run_id}}}");
    plan.plan(study_of("command = 'echo $ALGO; cat c.json'\n[[trainer.files]]\n"
                       "template = 'c.json'\nto = 'c.json'\n",
                       "environment.ALGO = ['Ring', 'a b']", "[launch]\n" + launch + " = true\n"),
              kCluster);
    const std::size_t runs = plan.planning.plan.runs.size();
    for (std::size_t job = 0; job < plan.planning.plan.jobs.size(); ++job) {
      const std::size_t tasks = launch == "pack" ? 1 : plan.planning.plan.jobs[job].run_ids.size();
      for (std::size_t task = 0; task < tasks; ++task) {
        plan.start(job, "export SLURM_ARRAY_TASK_ID=" + std::to_string(task) + "; ");
      }
    }
    REQUIRE(runs == 4);
    for (std::size_t i = 0; i < runs; ++i) {
      const contract::RunSpec run = plan.planning.run(i);
      CHECK(plan.in_launch(i, "stdout") ==
            run.environment.at("ALGO") + "\n{\"id\": \"" + run.run_id + "\"}");
    }
  }
}

TEST_CASE("environment variables are part of a run's description and id") {
  OwnPlan with, without;
  with.plan(study_of("command = 'true'", "environment.ALGO = ['Ring', 'Tree']"));
  without.plan(study_of("command = 'true'", ""));
  CHECK(with.planning.plan.runs.size() == 4);
  CHECK(with.planning.run(1).environment == std::map<std::string, std::string>{{"ALGO", "Tree"}});
  const std::string json = contract::to_json(with.planning.run(1));
  CHECK(contract::run_spec_from_json(json, "f").environment == with.planning.run(1).environment);
  CHECK(json.find("\"environment\": {\n    \"ALGO\": \"Tree\"") != std::string::npos);
  CHECK(contract::to_json(without.planning.run(0)).find("environment") == std::string::npos);
}

TEST_CASE("a wrong configuration file or variable is rejected before anything is written") {
  OwnPlan plan;
  plan.file("c.json", "{\"n\": {{gpsu}}}");
  const auto with = [&](const std::string& file) {
    return study_of("command = 'true'\n[[trainer.files]]\n" + file, "");
  };
  CHECK(plan_error(plan, with("template = 'c.json'\nto = 'c.json'"))
            .rfind("c.json:1:7: unknown name \"gpsu\"; did you mean \"gpus\"?", 0) == 0);
  CHECK(plan_error(plan, with("template = 'no.json'\nto = 'c.json'")) ==
        "study.toml:6:12: trainer.files[0].template: no.json: no such file");
  CHECK(plan_error(plan, with("template = 'c.json'")) ==
        "study.toml:5:1: trainer.files[0]: the key \"to\" is missing");
  for (const std::string to : {"../c", "/c", "a/../../c", ".", "a/"}) {
    CHECK(plan_error(plan, with("template = 'c.json'\nto = '" + to + "'"))
              .rfind("study.toml:7:6: trainer.files[0].to: must be the path of a file below", 0) ==
          0);
  }
  CHECK(plan_error(plan, with("template = 'c.json'\nto = './stdout'")) ==
        "study.toml:7:6: trainer.files[0].to: stdout is a file of dlscale in the launch folder; "
        "choose another name");
  CHECK(plan_error(plan, with("template = 'c.json'\nto = 'a'\n[[trainer.files]]\n"
                              "template = 'c.json'\nto = 'a/b'")) ==
        "study.toml:8:1: trainer.files[1]: trainer.files[0] already writes a; choose another name");
  CHECK(plan_error(plan, study_of("command = 'true'", "environment.A-B = 1")) ==
        "study.toml:8:19: matrix.environment.A-B: the name of an environment variable may contain "
        "only letters, digits and _, and must not begin with a digit");
  CHECK(plan_error(plan, study_of("command = 'true'", "environment.CUDA_VISIBLE_DEVICES = 1")) ==
        "study.toml:8:36: matrix.environment.CUDA_VISIBLE_DEVICES: the job script sets this "
        "variable; set the key gpus instead");
}

TEST_CASE("commands of runs on several nodes get the name of the first node") {
  OwnPlan plan;
  std::string study = study_of("command = 'echo {{master_address}}'\nlauncher = 'ranks'", "");
  study.replace(study.find("[1, 2]"), 6, "8");
  plan.plan(study, kCluster);
  CHECK(plan.script().find("master_address=$(hostname)\n") != std::string::npos);
}
