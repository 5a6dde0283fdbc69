// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/cli/dlscale_program.hpp"
#include "tests/planner/bash_run.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::StartsWith;

TEST_CASE("the starter study can be planned unchanged") {
  test::DlscaleProgram dlscale;
  const test::Ran init = dlscale.run({"init", "study"});
  CHECK(init.out == "wrote study.toml; next: dlscale plan study.toml --explain --dry-run\n");
  const test::Ran plan = dlscale.run({"plan", "study.toml"});
  CHECK(plan.exit_code == 0);
  CHECK(plan.err == "");
  CHECK_THAT(plan.out, StartsWith("study: 18 runs in 18 jobs on local") && !Contains("warning"));
}

TEST_CASE("commented parts of the starter study can be planned too") {
  test::DlscaleProgram dlscale;
  REQUIRE(dlscale.run({"init", "study", "-o", "mine.toml"}).exit_code == 0);
  // Uncomment the TOML lines and keep the sentences as comments.
  const std::string text =
      test::run_bash(
          "cd " + dlscale.folder.path().string() +
          " && sed -E 's/^# (\\[|gpus = |framework = |optimizer|pack|array)/\\1/' mine.toml")
          .out;
  CHECK_THAT(text, Contains("\n[[include]]\ngpus = 4\n") && Contains("\n[launch]\npack = true"));
  base::write_file_atomically(dlscale.folder / "mine.toml", text);
  const test::Ran plan = dlscale.run({"plan", "mine.toml", "--dry-run"});
  CHECK(plan.err == "");
  CHECK(plan.exit_code == 0);
}

TEST_CASE("a file that exists is not overwritten without --force") {
  test::DlscaleProgram dlscale;
  base::write_file_atomically(dlscale.folder / "study.toml", "mine");
  const test::Ran refused = dlscale.run({"init", "study"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err == "dlscale: study.toml exists; choose another file with -o, or --force\n");
  CHECK(base::read_file(dlscale.folder / "study.toml") == "mine");
  CHECK(dlscale.run({"init", "study", "--force"}).exit_code == 0);
  CHECK_THAT(base::read_file(dlscale.folder / "study.toml"), Contains("[matrix]"));
}

TEST_CASE("a file name with special characters gives a study that can be planned") {
  test::DlscaleProgram dlscale;
  const std::string file = "a b\n'$(touch x)'.toml";
  CHECK(dlscale.run({"init", "study", "-o", file}).exit_code == 0);
  CHECK(dlscale.run({"plan", file, "-o", "out"}).exit_code == 0);
  CHECK_FALSE(std::filesystem::exists(dlscale.folder / "x"));
  CHECK(dlscale.run({"init", "study", "-o", "/proc/nowhere.toml"}).exit_code == 1);
}

TEST_CASE("init without a kind names the help") {
  test::DlscaleProgram dlscale;
  const test::Ran ran = dlscale.run({"init"});
  CHECK(ran.exit_code == 2);
  CHECK_THAT(ran.err, Contains("dlscale init --help"));
}
