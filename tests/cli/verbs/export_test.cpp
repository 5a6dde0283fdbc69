// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale export` through the program.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/analysis/support/written_study.hpp"
#include "tests/cli/dlscale_program.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::StartsWith;
namespace fs = std::filesystem;

namespace {

/// Collected study with two completed runs and one that was not started.
struct Collected {
  Collected() {
    study.add("ddp", 1);
    study.add("ddp", 2);
    study.plan_run("synchronous", 2);
    CHECK(dlscale.run({"collect", folder, "--no-tables"}).exit_code == 0);
  }
  std::string text(const std::string& file) const { return base::read_file(dlscale.folder / file); }
  test::WrittenStudy study;
  test::DlscaleProgram dlscale;
  std::string folder = study.folder.root().string();
};

}  // namespace

TEST_CASE("export writes a file for each view and reports its number of rows") {
  Collected it;
  const test::Ran ran = it.dlscale.run({"export", it.folder, "-o", "views"});
  CHECK(ran.exit_code == 0);
  CHECK(ran.err.empty());
  CHECK_THAT(ran.out, Contains("wrote views/run.csv: 3 rows\n") &&
                          Contains("wrote views/step_window.csv: 6 rows\n"));
  CHECK_THAT(it.text("views/run.csv"), Contains("synchronous-g2-r1"));
}

TEST_CASE("export accepts the selection options of all commands") {
  Collected it;
  const test::Ran where = it.dlscale.run({"export", it.folder, "-o", "w", "--where", "gpus == 1"});
  CHECK(where.exit_code == 0);
  CHECK_THAT(where.err, Contains("1 of 3 runs match"));
  CHECK_THAT(it.text("w/run.csv"), Contains("ddp-g1-r1") && !Contains("ddp-g2-r1"));
  CHECK(it.dlscale.run({"export", it.folder, "-o", "s", "--state", "done"}).exit_code == 0);
  CHECK_THAT(it.text("s/run.csv"), Contains("ddp-g2-r1") && !Contains("synchronous"));
  CHECK(it.dlscale.run({"export", it.folder, "-o", "r", "--run", "sync*"}).exit_code == 0);
  CHECK_THAT(it.text("r/run.csv"), Contains("synchronous") && !Contains("ddp-g1-r1"));
}

TEST_CASE("an empty export gives exit code 3 and writes nothing") {
  Collected it;
  for (const std::vector<std::string>& none :
       {std::vector<std::string>{"--where", "gpus > 99"}, {"--state", "oom"}}) {
    std::vector<std::string> words{"export", it.folder, "-o", "none"};
    words.insert(words.end(), none.begin(), none.end());
    CHECK(it.dlscale.run(words).exit_code == 3);
    words.emplace_back("--allow-empty");
    CHECK(it.dlscale.run(words).exit_code == 0);
  }
  CHECK_FALSE(fs::exists(it.dlscale.folder / "none"));
}

TEST_CASE("export rejects plan folders and devices as targets, even with --force") {
  Collected it;
  for (const std::string& target : {it.folder, it.folder + "/plan.json", it.folder + "/new"}) {
    const test::Ran ran =
        it.dlscale.run({"export", it.folder, "--format", "sqlite", "-o", target, "--force"});
    CHECK(ran.exit_code == 2);
    CHECK(ran.err ==
          "dlscale: " + target + ": is inside the plan folder; choose a place outside it\n");
  }
  const test::Ran device =
      it.dlscale.run({"export", it.folder, "--format", "sqlite", "-o", "/dev/null", "--force"});
  CHECK(device.exit_code == 2);
  CHECK(device.err ==
        "dlscale: /dev/null: is neither a file nor a folder; choose another target\n");
}

TEST_CASE("export replaces files only with --force and requires an output") {
  Collected it;
  const std::vector<std::string> words{"export", it.folder,  "--format",
                                       "sqlite", "--output", "x.sqlite"};
  CHECK(it.dlscale.run(words).exit_code == 0);
  const test::Ran again = it.dlscale.run(words);
  CHECK(again.exit_code == 2);
  CHECK(again.err == "dlscale: x.sqlite: already exists; replace it with --force\n");
  CHECK(it.dlscale.run({"export", it.folder, "--format", "sqlite", "-o", "x.sqlite", "--force"})
            .exit_code == 0);
  CHECK(it.dlscale.run({"export", it.folder}).exit_code == 2);
  const test::Ran format = it.dlscale.run({"export", it.folder, "-o", "y", "--format", "parquet"});
  CHECK(format.exit_code == 2);
  CHECK_THAT(format.err, Contains("unknown format \"parquet\"") && Contains("known: csv"));
}
