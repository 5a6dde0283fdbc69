// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale compare` through the program.
#include <catch2/catch.hpp>

#include "tests/analysis/support/written_study.hpp"
#include "tests/cli/dlscale_program.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::StartsWith;

namespace {

const std::string kMine =
    "# source: a paper of mine\n# where: Table 1\n# kind: R\n"
    "framework,cores,throughput [image/s]\nddp,1,1000\nddp,2,1500\nhorovod,2,1700\n";

}  // namespace

TEST_CASE("references and rules are listed by name") {
  test::DlscaleProgram dlscale;
  const test::Ran list = dlscale.run({"compare", "--reference", "list"});
  CHECK(list.exit_code == 0);
  for (const char* name : {"barrachina", "ensias", "juwels", "nef", "princeton"}) {
    CHECK_THAT(list.out, Contains(name));
  }
  const test::Ran rules = dlscale.run({"compare", "--rules"});
  CHECK(rules.exit_code == 0);
  CHECK_THAT(rules.out, Contains("odd_gpu_count") && Contains("formula_units"));
}

TEST_CASE("without a folder only the publication is checked") {
  test::DlscaleProgram dlscale;
  const test::Ran text = dlscale.run({"compare", "--reference", "juwels"});
  CHECK(text.exit_code == 0);
  CHECK_THAT(text.out, Contains("odd_gpu_count\n  table2-kernel-shares.csv:40 (Table 2)\n") &&
                           Contains("table2-kernel-shares.csv  153"));
  for (const char* format : {"markdown", "csv", "latex"}) {
    const test::Ran other = dlscale.run({"compare", "--reference", "nef", "--format", format});
    CHECK(other.exit_code == 0);
    CHECK_THAT(other.out, Contains("GTX 1080 Ti"));
  }
}

TEST_CASE("measured values are shown next to published values") {
  test::DlscaleProgram dlscale;
  test::WrittenStudy study;
  study.add("ddp", 1);
  study.add("ddp", 2, {1500, 0.9});
  const std::string folder = study.folder.root().string();
  REQUIRE(dlscale.run({"collect", folder, "--no-tables"}).exit_code == 0);
  base::write_file_atomically(dlscale.folder.path() / "mine.csv", kMine);
  const test::Ran csv =
      dlscale.run({"compare", folder, "--reference", "mine.csv", "--format", "csv", "--unmatched"});
  CHECK(csv.exit_code == 0);
  CHECK_THAT(csv.out,
             Contains("throughput,\"cores 2, framework ddp") && Contains(",image/s,1500,R,1") &&
                 Contains("\"cores 2, framework horovod\",1700,image/s,mine.csv:7 (Table 1)"));
  CHECK_THAT(csv.out, Contains("# none of the 28 rules found a contradiction\n"));
  const test::Ran other = dlscale.run({"compare", folder, "--reference", "princeton"});
  CHECK(other.exit_code == 3);
  CHECK_THAT(other.err, StartsWith("dlscale: princeton has no published value for any of the "
                                   "2 points of made-up"));
}

TEST_CASE("bad references give one line and exit code 2") {
  test::DlscaleProgram dlscale;
  const auto refused = [&](std::vector<std::string> arguments, const std::string& message) {
    arguments.insert(arguments.begin(), "compare");
    const test::Ran ran = dlscale.run(arguments);
    CHECK(ran.exit_code == 2);
    CHECK(ran.out.empty());
    CHECK_THAT(ran.err, StartsWith("dlscale: " + message));
  };
  refused({}, "--reference is missing");
  refused({"--reference", "juwel"},
          "unknown reference \"juwel\"; did you mean \"juwels\"? (known: ");
  refused({"--reference", "nef", "--format", "pdf"}, "unknown ");
  base::write_file_atomically(dlscale.folder.path() / "broken.csv", kMine + "ddp,4,quick\n");
  refused({"--reference", "broken.csv"}, "broken.csv:8:7: \"quick\" is not a number");
  base::write_file_atomically(dlscale.folder.path() / "broken.toml", "tables = [\n");
  refused({"--reference", "broken.toml"}, "broken.toml:");
}

TEST_CASE("a missing file and a folder without results are reported") {
  test::DlscaleProgram dlscale;
  const test::Ran none = dlscale.run({"compare", "--reference", "none.csv"});
  CHECK(none.exit_code == 1);
  CHECK_THAT(none.err, Contains("none.csv"));
  CHECK(dlscale.run({"compare", "nowhere", "--reference", "nef"}).exit_code == 1);
}
