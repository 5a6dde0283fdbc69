// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale compare` through the program.
#include <catch2/catch.hpp>

#include "base/file.hpp"
#include "contract/records/calibration.hpp"
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
             Contains("throughput,\"cores 2, framework ddp") && Contains(",run,image/s,1500,R,1") &&
                 Contains("\"cores 2, framework horovod\",1700,image/s,no run with framework "
                          "horovod,mine.csv:7 (Table 1)") &&
                 Contains("2 of 3 published values have an own counterpart (67 %)"));
  CHECK_THAT(csv.out, Contains("# none of the 28 rules found a contradiction\n"));
  const test::Ran other = dlscale.run({"compare", folder, "--reference", "princeton"});
  CHECK(other.exit_code == 3);
  CHECK_THAT(other.err, StartsWith("dlscale: princeton has no published value for any of the "
                                   "2 points of made-up"));
  const test::Ran reasons =
      dlscale.run({"compare", folder, "--reference", "juwels", "--unmatched"});
  CHECK(reasons.exit_code == 3);
  CHECK_THAT(reasons.out, Contains("no run with model resnet50"));
}

TEST_CASE("the points of several plan folders answer the published values together") {
  test::DlscaleProgram dlscale;
  test::WrittenStudy one, two;
  one.add("ddp", 1);
  two.add("horovod", 2, {1700, 0.9});
  for (const test::WrittenStudy* study : {&one, &two}) {
    REQUIRE(dlscale.run({"collect", study->folder.root().string(), "--no-tables"}).exit_code == 0);
  }
  base::write_file_atomically(dlscale.folder.path() / "mine.csv", kMine);
  const std::string first = "one=" + one.folder.root().string();
  const std::string second = "two=" + two.folder.root().string();
  const test::Ran both = dlscale.run(
      {"compare", first, second, "--reference", "mine.csv", "--format", "csv", "--unmatched"});
  CHECK(both.exit_code == 0);
  CHECK_THAT(both.out,
             Contains("2 of 3 published values have an own counterpart (67 %)") &&
                 Contains("\"cores 2, framework horovod, batch_per_gpu 64\",run,image/s,1700,R,"));
  const test::Ran chosen = dlscale.run({"compare", first, second, "--reference", "mine.csv",
                                        "--format", "csv", "--where", "gpus == 2"});
  CHECK(chosen.exit_code == 0);
  CHECK_THAT(chosen.out, Contains("1 of 3 published values have an own counterpart (33 %)"));
  const test::Ran none = dlscale.run({"compare", first, second, "--reference", "princeton"});
  CHECK(none.exit_code == 3);
  CHECK_THAT(none.err, Contains("any of the 2 points of one and two"));
  base::write_file_atomically(dlscale.folder.path() / "f.toml", "");
  const test::Ran findings = dlscale.run({"compare", first, second, "--findings", "f.toml"});
  CHECK(findings.exit_code == 2);
  CHECK_THAT(findings.err, StartsWith("dlscale: --findings: tests the runs of one plan folder"));
}

TEST_CASE("predictions of a published plan contain its sizes and trends") {
  test::DlscaleProgram dlscale;
  const std::string study = DLSCALE_SOURCE_DIR "/examples/studies/princeton/study.toml";
  REQUIRE(dlscale.run({"plan", study, "--site", "ionic", "-o", "p"}).exit_code == 0);
  REQUIRE(dlscale.run({"predict", study, "--site", "ionic", "--keep", "p"}).exit_code == 0);
  REQUIRE(dlscale.run({"collect", "p", "--no-tables", "--allow-empty"}).exit_code == 0);
  const test::Ran ran =
      dlscale.run({"compare", "p", "--reference", "princeton", "--predicted", "--format", "csv"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("23 of 26 published values have an own counterpart (88 %); only "
                               "predicted: 23"));
}

TEST_CASE("a study that names its publication needs no option") {
  test::DlscaleProgram dlscale;
  base::write_file_atomically(dlscale.folder.path() / "mine.csv", kMine);
  test::WrittenStudy study;
  study.add("ddp", 1);
  study.plan.reference = (dlscale.folder.path() / "mine.csv").string();
  study.write_plan();
  const std::string folder = study.folder.root().string();
  REQUIRE(dlscale.run({"collect", folder, "--no-tables"}).exit_code == 0);
  const test::Ran named = dlscale.run({"compare", folder});
  CHECK(named.exit_code == 0);
  CHECK_THAT(named.out, Contains("1 of 3 published values have an own counterpart (33 %)"));
  const test::Ran report = dlscale.run({"report", folder});
  CHECK(report.exit_code == 0);
  const std::string page = base::read_text_file(study.folder.root() / "report" / "report.html");
  CHECK_THAT(page, Contains("1 of 3 published values have an own counterpart") &&
                       Contains("no run with framework horovod"));
}

TEST_CASE("a calibration is compared with published errors of kernels") {
  test::DlscaleProgram dlscale;
  test::WrittenStudy study;
  study.add("ddp", 1);
  const std::string folder = study.folder.root().string();
  REQUIRE(dlscale.run({"collect", folder, "--no-tables"}).exit_code == 0);
  contract::Calibration calibration;
  calibration.all_reduce.push_back({.gpus = 8, .bytes = 500'000, .seconds = 0.001});
  calibration.all_reduce.push_back({.gpus = 8, .bytes = 600'000, .seconds = 0.001});
  base::write_file_atomically(dlscale.folder.path() / "measured.json", to_json(calibration));
  const test::Ran ran = dlscale.run({"compare", folder, "--reference", "barrachina",
                                     "--calibration", "measured.json", "--format", "csv"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out,
             Contains("allreduce_time (formula),\"8 ranks, 1 node, 512000 bytes\",calibration,ms"));
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
  refused({"--reference", "nef", "--calibration", "none.json"},
          "--calibration: name the plan folder");
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

TEST_CASE("each condition of the shipped findings fits the study as published") {
  test::DlscaleProgram dlscale;
  const std::pair<std::string, std::string> studies[] = {{"nef", "nef"},
                                                         {"ensias", "kaggle"},
                                                         {"princeton", "ionic"},
                                                         {"barrachina", "altec"},
                                                         {"juwels", "juwels-booster"}};
  for (const auto& [name, site] : studies) {
    CAPTURE(name);
    const std::string folder = DLSCALE_SOURCE_DIR "/examples/studies/" + name;
    const std::string repeats = name == "nef" ? "study.repeats=4" : "study.repeats=3";
    REQUIRE(dlscale.run({"plan", folder + "/study.toml", "--site", site, "-o", name, "-S", repeats})
                .exit_code == 0);
    REQUIRE(dlscale.run({"collect", name, "--no-tables"}).exit_code == 3);  // nothing has run
    const test::Ran ran =
        dlscale.run({"compare", name, "--findings", folder + "/findings.toml", "--format", "csv"});
    CHECK(ran.exit_code == 0);
    CHECK_THAT(ran.out, Contains("not testable here") && !Contains("findings.toml:"));
  }
}

TEST_CASE("a condition that does not fit the study makes its finding not testable") {
  test::DlscaleProgram dlscale;
  test::WrittenStudy study;
  study.add("ddp", 1);
  const std::string folder = study.folder.root().string();
  REQUIRE(dlscale.run({"collect", folder, "--no-tables"}).exit_code == 0);
  const std::string finding =
      "[[finding]]\nname = \"a\"\nclaim = \"It is faster.\"\nsource = \"Figure 1\"\n"
      "metric = \"throughput\"\nleft = \"colour == 2\"\nvalue = 1\n";
  base::write_file_atomically(dlscale.folder.path() / "f.toml", finding);
  const test::Ran ran = dlscale.run({"compare", folder, "--findings", "f.toml"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out,
             Contains("not testable here") && Contains("f.toml:6:8: ") && Contains("colour"));
}

TEST_CASE("findings need a plan folder and a valid file") {
  test::DlscaleProgram dlscale;
  const test::Ran without = dlscale.run({"compare", "--findings", "f.toml"});
  CHECK(without.exit_code == 2);
  CHECK_THAT(without.err, Contains("name the plan folder"));
  test::WrittenStudy study;
  study.add("ddp", 1);
  const std::string folder = study.folder.root().string();
  REQUIRE(dlscale.run({"collect", folder, "--no-tables"}).exit_code == 0);
  base::write_file_atomically(dlscale.folder.path() / "f.toml", "[[findings]]\n");
  const test::Ran wrong = dlscale.run({"compare", folder, "--findings", "f.toml"});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, Contains("f.toml:1:") && Contains("\"finding\""));
}
