// SPDX-License-Identifier: Apache-2.0
#include "workspace/collect/collect_steps.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "tests/analysis/support/written_study.hpp"

namespace dlscale::cli {
namespace {

using Catch::Contains;
using test::WrittenStudy;

/// Returns the names and contents of all files under tables/ and figures/.
std::string contents(const contract::PlanDir& folder) {
  std::string text;
  for (const auto& part : {folder.tables(), folder.figures()}) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(part)) files.push_back(entry);
    std::sort(files.begin(), files.end());
    for (const auto& file : files) text += file.string() + "\n" + base::read_file(file);
  }
  return text;
}

void fill(WrittenStudy& study) {
  study.add("ddp", 1, {1000, 0.97});
  study.add("ddp", 2, {1900, 0.96});
  study.add("synchronous", 1, {900, 0.97});
  study.add("synchronous", 2, {1600, 0.96});
}

}  // namespace

TEST_CASE("collecting prints the efficiency and accuracy tables and the written files") {
  WrittenStudy study;
  fill(study);
  std::ostringstream out;
  CHECK(workspace::collect_and_report({study.folder.root()}, out) == kExitOk);
  CHECK_THAT(out.str(), Contains("Parallel efficiency of made-up") && Contains("0.950") &&
                            Contains("Test accuracy by global batch") && Contains("97.00"));
  CHECK(out.str().starts_with("made-up: weak scaling"));
  CHECK_THAT(out.str(),
             Contains("- How many ") && Contains("\n\ncollected made-up: 4 of 4 runs used"));
  CHECK_THAT(out.str(), Contains("tables/efficiency.{md,csv,tex,json}"));
  for (const char* file : {"efficiency.md", "efficiency.tex", "efficiency.csv", "accuracy.md",
                           "accuracy.tex", "accuracy.csv", "breakdown.md"}) {
    CHECK(std::filesystem::exists(study.folder.tables() / file));
  }
}

TEST_CASE("collecting twice or after deleting the database gives the same bytes") {
  WrittenStudy study;
  fill(study);
  std::ostringstream out;
  workspace::collect_and_report({.plan_folder = study.folder.root(), .figures = true}, out);
  const std::string first = contents(study.folder);
  workspace::collect_and_report({.plan_folder = study.folder.root(), .figures = true}, out);
  // The parentheses keep Catch2 from printing the long texts.
  CHECK((contents(study.folder) == first));
  std::filesystem::remove(study.folder.database());
  std::filesystem::remove_all(study.folder.tables());
  workspace::collect_and_report({.plan_folder = study.folder.root(), .figures = true}, out);
  // The parentheses keep Catch2 from printing the long texts.
  CHECK((contents(study.folder) == first));
}

TEST_CASE("figures that can no longer be drawn are removed, and other files in figures/ stay") {
  WrittenStudy study;
  const std::string run = study.add("ddp", 1, {1000, 0.97});
  study.add("ddp", 2, {1900, 0.96});
  const std::filesystem::path figures = study.folder.figures();
  const auto collect = [&] {
    std::ostringstream out;
    workspace::collect_and_report(
        {.plan_folder = study.folder.root(), .tables = false, .figures = true}, out);
    return out.str();
  };
  CHECK_THAT(collect(), !Contains("removed"));
  for (const char* name : {"loss.svg", "loss.csv", "speedup.svg"}) {
    CHECK(std::filesystem::exists(figures / name));
  }
  base::write_file_atomically(figures / "mine.svg", "a file of the user");
  base::write_file_atomically(figures / "speedup.svg", "a figure that the user changed");
  std::filesystem::remove_all(study.folder.runs());
  CHECK_THAT(collect(), Contains("removed figures of earlier results, which cannot be drawn now: "
                                 "accuracy-vs-batch.csv, "));
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(figures)) {
    left.push_back(entry.path().filename().string());
  }
  std::sort(left.begin(), left.end());
  CHECK(left == std::vector<std::string>{"mine.svg", "speedup.svg"});
  CHECK_THAT(collect(), !Contains("removed"));
}

TEST_CASE("failed runs are counted, excluded from the curves and set the exit code") {
  WrittenStudy study;
  fill(study);
  study.add("ddp", 4, {.outcome = contract::RunOutcome::OutOfMemory});
  std::ostringstream out;
  CHECK(workspace::collect_and_report({study.folder.root()}, out) == kExitRunsFailed);
  CHECK_THAT(out.str(), Contains("4 of 5 runs used, 1 failed (OutOfMemory 1)"));
}

TEST_CASE("an unreadable run is counted, named and sets the exit code") {
  WrittenStudy study;
  fill(study);
  std::filesystem::remove(study.folder.run("ddp-g2-r1").run_json());
  std::ostringstream out;
  CHECK(workspace::collect_and_report({study.folder.root()}, out) == kExitRunsFailed);
  CHECK_THAT(out.str(), Contains("3 of 4 runs used, 1 unreadable"));
  CHECK_THAT(out.str(), Contains("warning: runs/ddp-g2-r1/run.json: No such file"));
}

TEST_CASE("a study without a completed run prints a message instead of headers") {
  WrittenStudy study;
  study.add("ddp", 1, {.outcome = contract::RunOutcome::Failed});
  std::ostringstream out;
  CHECK(workspace::collect_and_report({study.folder.root()}, out) == kExitRunsFailed);
  CHECK_THAT(out.str(), Contains("no completed run can be shown here") && !Contains("speed-up"));
}

TEST_CASE("a study whose runs have not started has nothing to collect") {
  WrittenStudy study;
  study.plan_run("ddp", 1);
  std::ostringstream out;
  CHECK(workspace::collect_and_report({study.folder.root()}, out) == kExitNothingMatched);
  CHECK_THAT(out.str(), Contains("nothing to collect") && Contains("1 not started"));
}

TEST_CASE("warnings with the same text are printed once, with their number") {
  std::vector<std::string> warnings;
  for (int run = 1; run <= 16; ++run) {
    warnings.push_back("runs/r" + std::to_string(run) + "/stdout: line " + std::to_string(run) +
                       ": steps rise by 10");
  }
  warnings.insert(warnings.end(), {"runs/r1/stdout: steps rise by 20", "no path", "other words"});
  std::ostringstream out;
  workspace::print_warnings(warnings, out);
  CHECK(out.str() ==
        "warning: runs/r1/stdout: line 1: steps rise by 10 (and 15 warnings with the same text)\n"
        "warning: runs/r1/stdout: steps rise by 20\n"
        "warning: no path\nwarning: other words\n");
}

TEST_CASE("of many warnings that differ in numbers, the first ones are printed") {
  std::vector<std::string> warnings;
  for (int run = 1; run <= 16; ++run) {
    warnings.push_back("a: rises by " + std::to_string(run));
  }
  std::ostringstream out;
  workspace::print_warnings(warnings, out);
  CHECK_THAT(out.str(), Contains("a: rises by 10\n") &&
                            Catch::EndsWith("warning: similar warnings that are not shown: 6\n"));
}

TEST_CASE("truncated files are reported") {
  WrittenStudy study;
  fill(study);
  const auto results = study.folder.run(study.plan.runs[0].run_id).launch(1).results();
  base::write_file_atomically(results, base::read_file(results) + "{\"record\":\"ep");
  std::ostringstream out;
  CHECK(workspace::collect_and_report({study.folder.root()}, out) == kExitOk);
  CHECK_THAT(out.str(), Contains("1 truncated file: runs/ddp-g1-r1/launch-1/results.jsonl"));
}

TEST_CASE("tables that cannot be written give an error that names the folder") {
  WrittenStudy study;
  fill(study);
  base::write_file_atomically(study.folder.tables(), "in the way");
  std::ostringstream out;
  CHECK_THROWS_WITH(workspace::collect_and_report({study.folder.root()}, out),
                    Contains("cannot make folder"));
}

}  // namespace dlscale::cli
