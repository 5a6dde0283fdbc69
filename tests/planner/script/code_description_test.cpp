// SPDX-License-Identifier: Apache-2.0
// Tests of the script that describes the code and the software of external runs, in bash.
#include "planner/script/code_description.hpp"

#include <catch2/catch.hpp>

#include "contract/records/software_record.hpp"
#include "tests/planner/script_bench.hpp"
#include "tests/support/skip.hpp"

using namespace dlscale;
using planner::script_in;
using test::run_bash;
using test::ScriptBench;

namespace {

/// Returns the description that describe.sh writes. The shell text `before` precedes the command.
contract::SoftwareRecord described(const ScriptBench& bench, const std::string& before = "") {
  const std::string script = planner::shell_quote(bench.out.describe_script().string());
  const test::ShellResult result = run_bash(before + " bash " + script + " 2> /dev/null");
  INFO(result.out);
  REQUIRE(result.exit_code == 0);
  const std::string name = result.out.substr(0, result.out.find('\n'));
  REQUIRE(name.size() == 12);
  const auto file = bench.out.software_record(name);
  return contract::software_from_json(base::read_file(file), file.string());
}

/// Bench whose folder is a git repository with a training script and the plan folder.
struct Repository : ScriptBench {
  Repository() {
    base::write_file_atomically(dir / "train.py", "print(1)\n");
    run_bash("cd " + planner::shell_quote(dir.path().string()) +
             " && git init -q . && git add train.py && git -c user.name=a -c user.email=a@b commit "
             "-qm one");
    trainer = {.command = "python3 " + (dir / "train.py").string()};
    plan();
  }
};

bool has_git() {
  return run_bash("command -v git").exit_code == 0;
}

}  // namespace

TEST_CASE("the training script is the first Python file of the command") {
  const test::TempDir dir;
  for (const char* name : {"train.py", "run.sh", "conf.yaml", "python3"}) {
    base::write_file_atomically(dir / name, "");
  }
  const std::filesystem::path folder = dir.path();
  CHECK(script_in("python3 --conf conf.yaml train.py --lr 0.1", folder) == folder / "train.py");
  CHECK(script_in("bash run.sh conf.yaml", folder) == folder / "run.sh");
  CHECK(script_in("'" + (folder / "train.py").string() + "' -x", "/") == folder / "train.py");
  CHECK(script_in("./python3 -m net --conf conf.yaml", folder) == folder / "conf.yaml");
  CHECK(script_in("./python3 -m net", folder).empty());
  CHECK(script_in("train --lr 0.1", folder).empty());
  CHECK(script_in("", folder).empty());
}

TEST_CASE("the description contains commit, changes and script of a repository") {
  if (!has_git()) return test::skip("no git on PATH");
  const Repository bench;
  const contract::SoftwareRecord first = described(bench);
  CHECK(first.commit.size() == 40);
  CHECK(first.difference.empty());
  CHECK(first.script == (bench.dir / "train.py").string());
  CHECK(first.script_digest.size() == 12);

  base::write_file_atomically(bench.dir / "train.py", "print(2)\n");
  const contract::SoftwareRecord changed = described(bench);
  CHECK(changed.commit == first.commit);
  CHECK(changed.difference.size() == 12);
  base::write_file_atomically(bench.dir / "train.py", "print(1)\n");
  CHECK(described(bench) == first);

  base::write_file_atomically(bench.dir / "layers.py", "");
  CHECK(described(bench).difference.size() == 12);
}

TEST_CASE("the names of changed files are listed with their digests") {
  if (!has_git()) return test::skip("no git on PATH");
  const Repository bench;
  base::write_file_atomically(bench.dir / "train.py", "print(2)\n");
  base::write_file_atomically(bench.dir / "my layers.py", "");
  const auto list_of = [&](const contract::SoftwareRecord& record) {
    return base::read_file(bench.out.software() / changes_file(record));
  };
  const std::string first = list_of(described(bench));
  CHECK(contract::differing_files(first, "") ==
        std::vector<std::string>{"my layers.py", "train.py"});
  base::write_file_atomically(bench.dir / "my layers.py", "x = 1\n");
  CHECK(contract::differing_files(first, list_of(described(bench))) ==
        std::vector<std::string>{"my layers.py"});
}

TEST_CASE("files of the plan folder and the study are not changes of the code") {
  if (!has_git()) return test::skip("no git on PATH");
  const Repository bench;
  const std::string study = planner::shell_quote(bench.planning.study.file);
  CHECK(run_bash("cd " + planner::shell_quote(bench.dir.path().string()) + " && git add " + study)
            .exit_code == 0);
  base::make_directories(bench.out.run("x").root());
  base::write_file_atomically(bench.out.run("x").root() / "new.py", "");
  CHECK(described(bench).difference.empty());
}

TEST_CASE("the description lists Python packages once and contains the loaded modules") {
  if (run_bash("command -v python3").exit_code != 0) return test::skip("no python3 on PATH");
  ScriptBench bench;
  bench.trainer = {.command = "python3 train.py"};
  bench.plan();
  const contract::SoftwareRecord record =
      described(bench, "export LOADEDMODULES='gcc/12:cuda/\"12\"';");
  CHECK(record.python.starts_with("3."));
  CHECK(record.modules == "gcc/12:cuda/\"12\"");
  CHECK(std::filesystem::exists(bench.out.software() / packages_file(record)));
  CHECK(record.commit.empty());
}

TEST_CASE("the description contains the variables that change where Python finds packages") {
  if (run_bash("command -v python3").exit_code != 0) return test::skip("no python3 on PATH");
  ScriptBench bench;
  bench.trainer = {.command = "python3 train.py"};
  bench.plan();
  const std::string none = "unset PYTHONHOME PYTHONNOUSERSITE PYTHONPATH PYTHONUSERBASE;";
  CHECK(described(bench, none).python_variables.empty());
  const std::string folder = (bench.dir / "lib").string();
  base::make_directories(bench.dir / "lib/extra-1.0.dist-info");
  base::write_file_atomically(bench.dir / "lib/extra-1.0.dist-info/METADATA",
                              "Metadata-Version: 2.1\nName: extra\nVersion: 1.0\n");
  const contract::SoftwareRecord record =
      described(bench, none + " export PYTHONNOUSERSITE=1 PYTHONPATH=" + folder + ";");
  CHECK(record.python_variables == "PYTHONNOUSERSITE=1 PYTHONPATH=" + folder);
  CHECK_THAT(base::read_file(bench.out.software() / packages_file(record)),
             Catch::Contains("extra==1.0\n"));
}

TEST_CASE("in a container the Python of the node is not described") {
  ScriptBench bench;
  bench.site_keys = "container = { kind = 'apptainer', image = 'image.sif' }";
  bench.trainer = {.command = "python3 train.py"};
  bench.plan();
  CHECK(described(bench).python.empty());
}

TEST_CASE("a job records the description just before the command starts") {
  ScriptBench bench;
  bench.scheduler = "local";
  bench.trainer = {.command = "echo trained"};
  bench.plan();
  CHECK(run_bash(bench.script() + " token").exit_code == 0);
  const auto notes =
      contract::parse_launch_log(base::read_file(bench.out.run_notes(bench.run_id(0))));
  REQUIRE(notes.size() == 3);
  CHECK(notes[1].event == "described");
  CHECK(notes[1].launch == "token");
  CHECK(notes[1].launch_number == 1);
  CHECK(std::filesystem::exists(bench.out.software_record(notes[1].software)));
  CHECK(notes[2].event == "ended");
}

TEST_CASE("a job without the programs that describe the code completes") {
  ScriptBench bench;
  bench.scheduler = "local";
  bench.trainer = {.command = "echo trained"};
  bench.plan();
  std::filesystem::remove(bench.out.describe_script());
  CHECK(run_bash(bench.script()).exit_code == 0);
  REQUIRE(bench.ends().size() == 1);
  CHECK(bench.ends()[0].exit_code == 0);
  for (const char* name : {"git", "python3", "sha256sum"}) bench.program(name, "exit 3");
  bench.plan();
  CHECK(run_bash(bench.script(1)).exit_code == 0);
  CHECK(bench.ends(1)[0].exit_code == 0);
}

TEST_CASE("a plan of dlscale-train has no folder of descriptions") {
  ScriptBench bench;
  bench.plan();
  CHECK_FALSE(std::filesystem::exists(bench.out.software()));
}
