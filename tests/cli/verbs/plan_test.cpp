// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale plan` through the program.
#include <catch2/catch.hpp>
#include <filesystem>

#include "base/file.hpp"
#include "contract/plan/plan.hpp"
#include "tests/planner/bash_run.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;

namespace {

const std::string kDemo = DLSCALE_SOURCE_DIR "/examples/studies/demo/study.toml";

test::ShellResult plan_in(const test::TempDir& dir, const std::string& arguments) {
  return test::run_bash("cd " + dir.path().string() +
                        " && " DLSCALE_BINARY_DIR "/bin/dlscale plan " + arguments);
}

}  // namespace

TEST_CASE("plan writes the folder, reports it, and writes nothing the second time") {
  test::TempDir dir;
  const auto first = plan_in(dir, kDemo);
  CHECK(first.exit_code == 0);
  CHECK(first.out.rfind("demo: 48 runs in 48 jobs on local (local), weak scaling, 3 repetitions\n",
                        0) == 0);
  CHECK(first.out.find("\ndemo: 100 files written, 0 unchanged\n") != std::string::npos);
  CHECK(plan_in(dir, kDemo).out.find("demo: 0 files written, 100 unchanged\n") !=
        std::string::npos);
}

TEST_CASE("a dry run writes nothing and rejects the same studies as planning") {
  test::TempDir dir;
  CHECK(plan_in(dir, kDemo + " --dry-run").exit_code == 0);
  CHECK_FALSE(std::filesystem::exists(dir / "demo"));
  const auto refused = plan_in(dir, kDemo + " --dry-run --site nef -o 'a:b'");
  CHECK(refused.exit_code == 2);
  CHECK(refused.out.find("#OAR -O: the value") != std::string::npos);
}

TEST_CASE(
    "an unreadable plan in the folder is a failure instead of a usage error, even in a dry run") {
  test::TempDir dir;
  std::filesystem::create_directories(dir / "demo/plan.json");
  CHECK(plan_in(dir, kDemo + " --dry-run").exit_code == 1);
  CHECK(plan_in(dir, kDemo).exit_code != 0);
}

TEST_CASE("plan --json prints the plan") {
  test::TempDir dir;
  const auto result = plan_in(dir, kDemo + " --json --dry-run 2>/dev/null");
  CHECK(contract::plan_from_json(result.out, "out").runs.size() == 48);
}

TEST_CASE("a misspelt publication is rejected before anything is written") {
  test::TempDir dir;
  for (const char* verb : {"plan", "run"}) {
    const auto refused =
        test::run_bash("cd " + dir.path().string() + " && " DLSCALE_BINARY_DIR "/bin/dlscale " +
                       verb + " " + kDemo + " -S 'study.reference=\"juwls\"'");
    CHECK(refused.exit_code == 2);
    CHECK(refused.out.find("study.reference: ") != std::string::npos);
    CHECK(refused.out.find("did you mean \"juwels\"") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(dir / "demo"));
  }
}

TEST_CASE("bad input gives one line and exit code 2") {
  test::TempDir dir;
  const auto typo = plan_in(dir, kDemo + " -S study.repeat=2");
  CHECK(typo.exit_code == 2);
  CHECK(typo.out ==
        "dlscale: -S study.repeat=2: study.repeat: unknown key; did you mean \"repeats\"? (known: "
        "name, scaling, baseline, reference, repeats, until, order, seed, uneven_batch)\n");
  CHECK(plan_in(dir, kDemo + " --site nowhere").exit_code == 2);
  CHECK(plan_in(dir, kDemo + " -S matrix.batch_per_gpu=0").exit_code == 2);
  CHECK(plan_in(dir, "").exit_code == 2);
  CHECK_FALSE(std::filesystem::exists(dir / "demo"));
}

TEST_CASE("several -S arguments apply in order") {
  test::TempDir dir;
  const auto result =
      plan_in(dir, "-S study.name=other -S 'matrix.gpus=[1]' " + kDemo + " -S study.name=third");
  CHECK(result.out.rfind("third: 24 runs", 0) == 0);
}
