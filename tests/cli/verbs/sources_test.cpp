// SPDX-License-Identifier: Apache-2.0
// Tests of commands that evaluate several plan folders together, with the axis `source`.
#include <catch2/catch.hpp>
#include <filesystem>

#include "base/file.hpp"
#include "tests/analysis/support/written_study.hpp"
#include "tests/cli/dlscale_program.hpp"

using namespace dlscale;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

/// Two collected plan folders called "juwels" and "nef", with equal run ids, different CPUs and
/// different throughputs.
struct TwoSites {
  test::DlscaleProgram program;

  TwoSites() {
    add("juwels", "a fast CPU", 2000);
    add("nef", "a slow CPU", 1000);
  }

  void add(const std::string& name, const std::string& cpu, double samples_per_s) {
    test::WrittenStudy study;
    for (const int gpus : {1, 2}) {
      for (int repetition = 1; repetition <= 6; ++repetition) {
        study.add("ddp", gpus, {samples_per_s * gpus + repetition, 0.9}, repetition);
      }
    }
    fs::copy(study.folder.root(), program.folder / name, fs::copy_options::recursive);
    change_records(name, "a CPU", cpu);
  }

  /// Replaces a text in all records of a folder and collects the folder again.
  void change_records(const std::string& name, const std::string& from, const std::string& to) {
    for (const auto& entry : fs::recursive_directory_iterator(program.folder / name)) {
      if (entry.path().filename() != "results.jsonl" && entry.path().filename() != "run.json") {
        continue;
      }
      std::string text = base::read_file(entry.path());
      replace_all(text, from, to);
      base::write_file_atomically(entry.path(), text);
    }
    CHECK(program.run({"collect", name, "--no-tables"}).exit_code == 0);
  }

  std::string out(const std::vector<std::string>& words) {
    const test::Ran ran = program.run(words);
    INFO(ran.err);
    CHECK(ran.exit_code == 0);
    return ran.out;
  }
  std::string refusal(const std::vector<std::string>& words) {
    const test::Ran ran = program.run(words);
    CHECK(ran.exit_code == 2);
    CHECK(ran.out.empty());
    return ran.err;
  }
  std::string file(const std::string& name) { return base::read_file(program.folder / name); }
};

}  // namespace

TEST_CASE("tables of two folders have a column with the source of each row") {
  TwoSites at;
  const std::string csv =
      at.out({"analyze", "juwels", "nef", "--metric", "throughput", "--format", "csv"});
  CHECK_THAT(csv, Contains("\nsource,gpus,") && Contains("\njuwels,1,") && Contains("\nnef,2,"));
  CHECK_THAT(csv, Contains("source juwels: cpu a fast CPU; source nef: cpu a slow CPU"));
  CHECK_THAT(csv, Contains("24 of 24 runs used"));
}

TEST_CASE("the answers compare the sources and name the faster source") {
  TwoSites at;
  CHECK_THAT(at.out({"analyze", "juwels", "old=nef"}),
             Contains("source: `juwels` is 2") && Contains("times as fast as `old`"));
  CHECK_THAT(at.out({"analyze", "juwels", "nef", "--metric", "verdicts"}), Contains("faster"));
}

TEST_CASE("the source of a run is accepted by --by, --pivot, --where, --baseline and in run ids") {
  TwoSites at;
  const auto analyze = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"analyze", "juwels", "nef", "--metric", "throughput"};
    words.insert(words.end(), more.begin(), more.end());
    return at.out(words);
  };
  CHECK_THAT(analyze({"--by", "framework"}), Contains("(source=nef)"));
  CHECK_THAT(analyze({"--pivot", "source"}), Contains("nef"));
  CHECK_THAT(analyze({"--where", "source == \"nef\"", "--format", "csv"}),
             Contains("source nef") && !Contains("juwels"));
  CHECK_THAT(analyze({"--format", "csv", "nef/*"}), Contains("12 of 12 runs used"));
  CHECK_THAT(analyze({"--format", "csv", "--run", "ddp-g1-*"}), Contains("12 of 12 runs used"));
  const std::vector<std::string> speedup{"analyze",           "juwels",   "nef",
                                         "--metric",          "speedup",  "--baseline",
                                         "source=nef,gpus=1", "--format", "csv"};
  CHECK_THAT(at.out(speedup), Contains("cpu is \"a slow CPU\" in the baseline") &&
                                  Contains("--mixed") && !Contains("\njuwels,"));
}

TEST_CASE("a glob without a slash matches run ids and never the name of a source") {
  TwoSites at;
  fs::rename(at.program.folder / "nef", at.program.folder / "ddp-old");
  const auto selected = [&](const std::string& glob) {
    return at.program.run({"analyze", "juwels", "ddp-old", "--metric", "throughput", "--format",
                           "csv", "--run", glob});
  };
  CHECK_THAT(selected("ddp-*-r1").out, Contains("4 of 4 runs used"));
  CHECK_THAT(selected("ddp-old/*").out, Contains("12 of 12 runs used") && !Contains("juwels,"));
  CHECK_THAT(selected("*/ddp-g1-*").out, Contains("12 of 12 runs used"));
  CHECK(selected("ddp-o*").exit_code == 3);
  CHECK(selected("juwels*").exit_code == 3);
}

TEST_CASE("different work in two folders is compared only with --mixed") {
  TwoSites at;
  at.change_records("nef", "\"precision\": \"fp32\"", "\"precision\": \"bf16\"");
  const std::vector<std::string> words{"analyze", "juwels", "nef", "--metric", "verdicts"};
  const test::Ran refused = at.program.run(words);
  CHECK(refused.exit_code == 3);
  CHECK_THAT(refused.err, Contains("precision is \"fp32\" and \"bf16\"") && Contains("--mixed"));
  std::vector<std::string> mixed = words;
  mixed.emplace_back("--mixed");
  CHECK_THAT(at.out(mixed), Contains("faster"));
}

TEST_CASE("figures of two folders have a curve for each source") {
  TwoSites at;
  at.out({"plot", "throughput", "juwels", "nef", "-o", "t.svg"});
  CHECK_THAT(at.file("t.csv"), Contains("juwels") && Contains("nef"));
  at.out({"plot", "throughput", "juwels", "nef", "--x", "source", "--by", "gpus", "-o", "x.svg"});
  CHECK_THAT(at.file("x.csv"), Contains("nef"));
  at.out({"plot", "memory", "juwels", "nef", "-o", "m.svg", "--allow-empty"});
  CHECK_THAT(at.out({"plot", "list", "juwels", "nef"}),
             Contains("source                 juwels, nef"));
  CHECK_THAT(at.refusal({"plot", "throughput", "juwels", "nef"}), Contains("--output is missing"));
}

TEST_CASE("a report of two folders is a paper kit that verify can check") {
  TwoSites at;
  CHECK_THAT(at.refusal({"report", "juwels", "nef"}), Contains("--output is missing"));
  at.out({"report", "juwels", "nef", "-o", "paper"});
  CHECK_THAT(at.file("paper/tables/efficiency.tex"), Contains("juwels") && Contains("nef"));
  CHECK_THAT(at.file("paper/report.html"),
             Contains("<dt>differences</dt><dd>source juwels: cpu a fast CPU"));
  CHECK_FALSE(fs::exists(at.program.folder / "juwels/report"));
  CHECK_THAT(at.out({"verify", "juwels", "nef", "--report", "paper"}), Contains("no differences"));
  CHECK_THAT(at.refusal({"verify", "juwels", "nef"}), Contains("--report is missing"));
  at.change_records("nef", "\"samples\":640", "\"samples\":320");
  CHECK(at.program.run({"verify", "juwels", "nef", "--report", "paper"}).exit_code == 1);
}

TEST_CASE("folders that cannot be evaluated together leave no report") {
  TwoSites at;
  const auto report = [&](const std::string& other) {
    return at.refusal({"report", "juwels", other, "-o", "paper"});
  };
  CHECK_THAT(report("juwels/"), Contains("juwels/: is the same folder as juwels"));
  CHECK_THAT(report("nfe"), Contains("did you mean \"nef\"?"));
  CHECK_THAT(report("juwels=nef"), Contains("have the same name \"juwels\""));
  fs::create_directory(at.program.folder / "empty");
  CHECK_THAT(report("empty"), Contains("contains no plan.json"));
  fs::remove(at.program.folder / "nef/results.sqlite");
  CHECK_THAT(report("nef"),
             Contains("nef: contains no collected results; run dlscale collect nef"));
  test::WrittenStudy planned;
  planned.plan_run("ddp", 1);
  fs::copy(planned.folder.root(), at.program.folder / "planned", fs::copy_options::recursive);
  at.program.run({"collect", "planned", "--no-tables"});
  CHECK_THAT(report("planned"), Contains("planned: no run has results"));
  CHECK_FALSE(fs::exists(at.program.folder / "paper"));
}

TEST_CASE("studies with different baselines need a baseline on the command line") {
  TwoSites at;
  std::string plan = at.file("nef/plan.json");
  replace_all(plan, "smallest-common", "per-curve");
  base::write_file_atomically(at.program.folder / "nef/plan.json", plan);
  CHECK(at.program.run({"collect", "nef", "--no-tables"}).exit_code == 0);
  CHECK_THAT(at.refusal({"analyze", "juwels", "nef"}),
             Contains("juwels: smallest-common, nef: per-curve") && Contains("--baseline"));
  at.out({"analyze", "juwels", "nef", "--baseline", "gpus=1"});
}

TEST_CASE("run ids and globs after a single plan folder still select runs") {
  TwoSites at;
  CHECK_THAT(at.out({"analyze", "juwels", "ddp-g1-r1", "ddp-g2-r1", "--format", "csv"}),
             Contains("2 of 2 runs used") && !Contains("source"));
  CHECK(at.program.run({"analyze", "juwels", "horovod-*"}).exit_code == 3);
}
