// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale report`, and of the options that `analyze` and `plot` share with it.
#include <catch2/catch.hpp>
#include <filesystem>

#include "base/file.hpp"
#include "tests/analysis/support/written_study.hpp"
#include "tests/cli/dlscale_program.hpp"

using namespace dlscale;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

struct Collected {
  test::WrittenStudy study;
  test::DlscaleProgram program;
  std::string folder = study.folder.root().string();

  Collected() {
    study.add("ddp", 1, {1000, 0.97});
    study.add("ddp", 2, {1900, 0.96});
    study.add("synchronous", 2, {1600, 0.95});
    CHECK(program.run({"collect", folder, "--no-tables"}).exit_code == 0);
  }
};

}  // namespace

TEST_CASE("report writes all its files and lists them") {
  Collected at;
  const test::Ran ran = at.program.run({"report", at.folder, "-o", "paper"});
  CHECK(ran.exit_code == 0);
  CHECK(ran.err.empty());  // no progress bar without a terminal
  CHECK_THAT(ran.out, Contains("wrote paper/report.html\n") && Contains("wrote paper/paper.tex\n"));
  CHECK_THAT(ran.out, Contains("warning: one run per point (n = 1)"));
  const fs::path bundle = at.program.folder / "paper";
  CHECK(fs::exists(bundle / "tables/efficiency.tex"));
  CHECK(fs::exists(bundle / "figures/efficiency.svg"));
  CHECK_THAT(base::read_file(bundle / "report.html"), Contains("synchronous"));
}

TEST_CASE("a report of selected runs has only these runs, and an empty report gives exit code 3") {
  Collected at;
  const std::string where = "framework == \"ddp\"";
  CHECK(at.program.run({"report", at.folder, "--where", where}).exit_code == 0);
  CHECK_THAT(base::read_file(at.study.folder.root() / "report/tables/efficiency.csv"),
             !Contains("synchronous"));
  const test::Ran none = at.program.run({"report", at.folder, "--where", "gpus > 99"});
  CHECK(none.exit_code == 3);
  CHECK(none.out.empty());
}

TEST_CASE("a report without a usable folder or results gives one line") {
  Collected at;
  base::write_file_atomically(at.program.folder / "file", "");
  const test::Ran in_the_way = at.program.run({"report", at.folder, "-o", "file"});
  CHECK(in_the_way.exit_code == 2);
  CHECK(in_the_way.err == "dlscale: --output file: is a file, not a folder\n");
  test::WrittenStudy unfinished;
  unfinished.plan_run("ddp", 1);
  const std::string folder = unfinished.folder.root().string();
  at.program.run({"collect", folder});
  const test::Ran nothing = at.program.run({"report", folder, "-o", "none"});
  CHECK(nothing.exit_code == 3);
  CHECK_THAT(nothing.err, Contains("nothing to report: 0 of 1 run used"));
  CHECK_FALSE(fs::exists(at.program.folder / "none"));
}

TEST_CASE("analyze without a metric begins with the answers, but only as text") {
  Collected at;
  const auto analyze = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"analyze", at.folder};
    words.insert(words.end(), more.begin(), more.end());
    return at.program.run(words);
  };
  const test::Ran text = analyze({});
  CHECK(text.exit_code == 0);
  CHECK(text.out.starts_with("made-up: "));
  CHECK_THAT(text.out, Contains("- How many ") && Contains("look worthwhile") &&
                           Contains("\n\nParallel efficiency of made-up\n"));
  CHECK(analyze({"--metric", "efficiency"}).out.starts_with("Parallel efficiency of made-up\n"));
  CHECK(analyze({"--format", "csv"}).out.starts_with("#"));
  CHECK_THAT(analyze({"--min-efficiency", "0.99"}).out, !Contains("look worthwhile"));
}

TEST_CASE("an efficiency that is not a share is rejected by every command that uses it") {
  Collected at;
  for (const char* verb : {"analyze", "report", "collect", "verify"}) {
    for (const char* value : {"0", "1.2", "-1"}) {
      const test::Ran ran =
          at.program.run({verb, at.folder, std::string("--min-efficiency=") + value});
      INFO(verb << " " << value);
      CHECK(ran.exit_code == 2);
      CHECK_THAT(ran.err + ran.out, Contains("--min-efficiency: must be above 0 and at most 1"));
    }
  }
}

TEST_CASE("analyze writes JSON, and plot writes a figure for LaTeX") {
  Collected at;
  const test::Ran json = at.program.run({"analyze", at.folder, "--format", "json"});
  CHECK(json.exit_code == 0);
  CHECK_THAT(json.out, Contains("\"id\": \"efficiency\""));
  const test::Ran plot = at.program.run({"plot", "speedup", at.folder, "-o", "s.tex"});
  CHECK(plot.exit_code == 0);
  CHECK(plot.out == "wrote ./s.csv\nwrote ./s.tex\n");
  CHECK(at.program.run({"plot", "speedup", at.folder, "-o", "100%.tex"}).exit_code == 2);
}

TEST_CASE("a speed-up against another framework names the baseline, or is rejected by name") {
  Collected at;
  const auto against = [&](const std::string& baseline) {
    return at.program.run(
        {"analyze", at.folder, "--metric", "speedup", "--baseline", baseline, "--format", "csv"});
  };
  const test::Ran absolute = against("framework=ddp");
  CHECK(absolute.exit_code == 0);
  CHECK_THAT(absolute.out, Contains("# baseline: 1 GPU (1 node) with framework=ddp, as chosen; "
                                    "speed-ups are absolute: ") ||
                               Contains("# baseline: 1 rank (1 node) with framework=ddp"));
  CHECK_THAT(absolute.out, Contains("\nsynchronous,2,1,1,"));
  CHECK(against("framework=deepspeed").exit_code == 2);
  CHECK_THAT(against("framework=deepspeed").err,
             Contains("no completed run with the baseline's framework=deepspeed"));
  CHECK_THAT(against("framwork=ddp").err, Contains("did you mean \"framework\""));
  CHECK_THAT(against("model=mlp").err, Contains("runs with another model do different work"));
}
