// SPDX-License-Identifier: Apache-2.0
// Tests that skipped logs, rows and lines are reported with a reason, and that all other logs, rows
// and lines are imported.
#include <catch2/catch.hpp>
#include <filesystem>

#include "analysis/import/import_logs.hpp"
#include "analysis/import/reading/file_problems.hpp"
#include "contract/plan/plan.hpp"
#include "tests/analysis/support/log_folder.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::LogFolder;
namespace fs = std::filesystem;

/// Returns the skipped files without the folder of the logs.
std::string skipped(const LogFolder& logs, const ImportSummary& summary) {
  std::string lines = base::describe_skipped(tally_of(summary.skipped));
  const std::string above = logs.logs() + "/";
  for (auto at = lines.find(above); at != lines.npos; at = lines.find(above)) {
    lines.erase(at, above.size());
  }
  return lines;
}

std::string skipped_lines(const contract::PlanDir& folder) {
  base::SkipTally tally;
  for (const std::string& problem : ingest(folder).problems) count_skipped_lines(problem, tally);
  return base::describe_skipped(tally);
}

/// Maps CSV columns to GPU counts and rates.
void read_rates(LogFolder& logs) {
  logs.request.axes = {};
  logs.request.mapped.columns = {{"gpus", "g"}, {"samples_per_s", "rate"}};
}

}  // namespace

TEST_CASE("a log without a GPU count is skipped with the option that helps, and can join later") {
  LogFolder logs;
  logs.write_step("b16_g2/run1.csv");
  logs.write_step("b16_x/run2.csv", 0.1);
  logs.write_step("b16_x/run3.csv", 0.2);
  const ImportSummary first = logs.import();
  CHECK(first.runs == 1);
  CHECK_FALSE(first.is_complete());
  CHECK(skipped(logs, first) ==
        "Skipped 2 files: the number of GPUs (ranks) is unknown; state gpus with --set gpus=N, "
        "--axis 'gpus=REGEX' (a part of the path) or --table; example: b16_x/run2.csv\n");
  CHECK(contract::read_plan(logs.folder).runs.size() == 1);
  logs.request.defaults = {"gpus=2"};
  const ImportSummary second = logs.import();
  CHECK(second.is_complete());
  CHECK(second.added == 2);
  CHECK(second.unchanged == 1);
}

TEST_CASE("a path with an impossible axis value is skipped, and the others are imported") {
  LogFolder logs;
  logs.request.axes = {"gpus=_g(\\w+)/", "global_batch=b(\\d+)_"};
  logs.write_step("b16_g2/run1.csv");
  logs.write_step("b16_gabc/run1.csv", 0.1);
  logs.write_step("b16_g0/run1.csv", 0.2);
  const ImportSummary summary = logs.import();
  CHECK(summary.runs == 1);
  CHECK_FALSE(summary.is_complete());
  CHECK_THAT(
      skipped(logs, summary),
      Contains("Skipped 2 files: gpus is \"") &&
          Contains("\" according to its path; it must be a whole number of at least 1; example: "));
  CHECK(logs.import().unchanged == 1);
}

TEST_CASE("a non-numeric repetition skips only its log") {
  LogFolder logs;
  logs.request.axes.emplace_back("repetition=run(\\w+)");
  logs.write_step("b16_g2/run1.csv");
  logs.write_step("b16_g2/runx.csv", 0.1);
  const ImportSummary summary = logs.import();
  CHECK(summary.runs == 1);
  CHECK_THAT(skipped(logs, summary), Contains("Skipped 1 file: repetition is \"x\"; it must be a"));
}

TEST_CASE("an import without any usable log reports every reason and writes nothing") {
  LogFolder logs;
  const std::string text = "load,compute,rank\n0.5,1.0,0\n0.5,1.5,1\n";
  logs.write("b16_x/run1.csv", text);
  CHECK_THAT(logs.error(), Contains("b16_x/run1.csv: the number of GPUs (ranks) is unknown"));
  logs.write("b16_x/run2.csv", text);
  CHECK_THAT(logs.error(), Contains("run1.csv: the number of GPUs") &&
                               Contains("; the same applies to all other files"));
  logs.write("notes.txt", "what this is\n");
  CHECK_THAT(logs.error(),
             Contains("none of the 3 files can be imported\nSkipped 2 files: the number") &&
                 Contains("\nSkipped 1 file: has no column \"load\""));
  CHECK_FALSE(fs::exists(logs.folder.root()));
}

TEST_CASE("runs in the folder stay if their log now lacks a value") {
  LogFolder logs;
  logs.write("b16_x/run1.csv", "load,compute,rank\n0.5,1.0,0\n0.5,1.5,1\n");
  logs.request.defaults = {"gpus=2"};
  logs.import();
  logs.request.defaults = {};
  logs.write_step("b16_g2/run2.csv", 0.1);
  const ImportSummary summary = logs.import();
  CHECK(summary.added == 1);
  CHECK_FALSE(summary.is_complete());
  CHECK(contract::read_plan(logs.folder).runs.size() == 2);
}

TEST_CASE("an impossible row of a table does not exclude the others") {
  LogFolder logs;
  read_rates(logs);
  logs.request.logs = {logs.write("all.csv", "g,rate\n1,100\nabc,180\n4,320\n")};
  const ImportSummary summary = logs.import();
  CHECK(summary.runs == 2);
  CHECK(summary.logs == 1);
  CHECK_FALSE(summary.is_complete());
  CHECK(skipped(logs, summary) ==
        "Skipped 1 run: gpus is \"abc\" according to its columns; it must be a whole number of at "
        "least 1; "
        "example: all.csv: line 3\n");
}

TEST_CASE("an empty row of a table in a folder does not exclude the others") {
  LogFolder logs;
  read_rates(logs);
  logs.write("all.csv", "g,rate\n1,\n2,180\n4,320\n");
  const ImportSummary summary = logs.import();
  CHECK(summary.runs == 2);
  CHECK_THAT(skipped(logs, summary), Contains("Skipped 1 run: the log contains no measurements"));
}

TEST_CASE("a log with its own lines after much output of other programs is imported") {
  LogFolder logs;
  logs.request.mapped = {};
  logs.request.axes = {};
  logs.request.stated = {"gpus=1", "global_batch=64", "model=m"};
  std::string noise;
  while (noise.size() < 300'000) noise += "node0:1000:2000 [0] NCCL INFO Channel 00/16 via P2P\n";
  const std::string line =
      "Train: 0 [   1/2 (  0%)]  Loss:  6.5 (6.75)  Time: 0.3s, 200.0/s  (0.32s,  200.0/s)  LR: "
      "1.0e-02  Data: 0.001 (0.002)\n";
  logs.write("a.log", noise + line);
  logs.write("b.log", noise);
  const ImportSummary summary = logs.import();
  CHECK(summary.formats == std::map<std::string, int>{{"timm", 1}});
  CHECK(skipped(logs, summary).find("the format is not recognised") != std::string::npos);
}

TEST_CASE("an explicitly given file that is not a log makes the import incomplete") {
  LogFolder logs;
  logs.request = {.stated = {"gpus=1"}};
  const std::string jobs =
      logs.write("jobs.txt", "JobID|State|ExitCode|Elapsed\n7|COMPLETED|0:0|02:00:00\n");
  const std::string notes = logs.write("notes.txt", "what this is\n");
  logs.request.logs = {logs.logs()};
  const ImportSummary met = logs.import();
  CHECK(met.is_complete());
  CHECK(skipped(logs, met) ==
        "Skipped 1 file: the format is not recognised; name the format with --format, or map the "
        "columns of a table with --map; example: notes.txt\n");
  logs.request.logs = {jobs, notes};
  CHECK_FALSE(logs.import().is_complete());
}

TEST_CASE("links to folders, broken links and archives are reported") {
  LogFolder logs;
  logs.write_step("b16_g2/run1.csv");
  fs::create_directory_symlink(logs.logs() + "/b16_g2", logs.logs() + "/latest");
  fs::create_symlink("nowhere", logs.logs() + "/gone.csv");
  std::string tar(1024, '\0');
  tar.replace(257, 5, "ustar");
  logs.write("old.tar", tar);
  CHECK(skipped(logs, logs.import()) ==
        "Skipped 1 file: is a link to a missing file; example: gone.csv\nSkipped 1 folder: is a "
        "link to a folder, and links are not followed; to import the logs of that folder, name "
        "the folder; example: latest\nSkipped 1 file: is a tar archive; unpack it and name the "
        "folder; example: old.tar\n");
}

TEST_CASE("rows of tables that lack a mapped column are counted") {
  LogFolder logs;
  read_rates(logs);
  logs.request.mapped.kind = "markdown";
  const std::string path = logs.write(
      "a.md",
      "| g | rate |\n|---|---|\n| 1 | 10 |\n\n| g | time |\n|---|---|\n| 1 | 3 |\n| 2 | 2 |\n");
  logs.request.logs = {path};
  logs.import();
  CHECK(skipped_lines(logs.folder) ==
        "Skipped 2 lines: its table has no column \"rate\"; example: " + path + ": line 7\n");
}

TEST_CASE("JSON objects without a measurement are counted and are not truncated lines") {
  LogFolder logs;
  logs.request.mapped = {.kind = "jsonl", .columns = {{"samples_per_s", "rate"}}};
  const std::string path = logs.write("b16_g2/a.jsonl", "{\"rate\": 5}\n{\"note\": 1}");
  logs.import();
  CHECK(skipped_lines(logs.folder) ==
        "Skipped 1 line: has no key that is mapped to a measure; example: " + path + ": line 2\n");
  CHECK(ingest(logs.folder).truncated.empty());
}

TEST_CASE("broken lines before the first run of a table with several runs are counted once") {
  LogFolder logs;
  read_rates(logs);
  const std::string path =
      logs.write("all.csv", "g,rate\nstarts now\n1,100\n2,180\nhangs here\n4,320\n");
  logs.request.logs = {path};
  logs.import();
  CHECK(skipped_lines(logs.folder) ==
        "Skipped 2 lines: has 1 of 2 columns; example: " + path + ": line 2\n");
}

TEST_CASE("broken rows before the first job of an accounting file are counted") {
  LogFolder logs;
  const std::string path =
      logs.write("jobs.txt",
                 "JobID|State|ExitCode|Elapsed\n6|COMP\n6|ODD|0:0|01:00:00\n"
                 "7|COMPLETED|0:0|02:00:00\n8|COMP\n9|COMPLETED|0:0|02:00:00\n");
  logs.request = {.logs = {path}};
  CHECK(logs.import().runs == 2);
  CHECK(skipped_lines(logs.folder) == "Skipped 2 lines: has 2 of 4 columns; example: " + path +
                                          ": line 2\nSkipped 1 line: is not a job: its JobID or "
                                          "State is not in the format of SLURM; "
                                          "example: " +
                                          path + ": line 3\n");
}

TEST_CASE("unused rows of an axis table are reported") {
  LogFolder logs;
  logs.request.axes = {"global_batch=(16)"};
  logs.request.logs = {logs.write_step("16/first.csv")};
  logs.request.table = logs.write("table.csv", "path,gpus\nfirst.csv,2\n16/first.csv,4\n,8\n");
  CHECK(logs.import().warnings ==
        std::vector<std::string>{
            logs.request.table + ": 16/first.csv is ignored: an earlier row matches the same log",
            logs.request.table + ": line 4 has no path"});
}

}  // namespace dlscale::analysis
