// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale collect LOG... -o DIR` through the program.
#include <catch2/catch.hpp>

#include "contract/plan/plan.hpp"
#include "tests/cli/dlscale_program.hpp"

namespace dlscale::cli {
namespace {

using Catch::Contains;
using test::DlscaleProgram;
using test::Ran;

const std::vector<std::string> kMeaning{"--axis",          "gpus=g(\\d+)/", "--set",
                                        "global_batch=16", "--map",         "wall_s=t"};

/// Writes logs of two repetitions on each of 1, 2 and 4 GPUs.
void write_logs(const DlscaleProgram& program, const std::string& name = "logs") {
  for (const int gpus : {1, 2, 4}) {
    for (const int repetition : {1, 2}) {
      const std::filesystem::path folder =
          program.folder.path() / name / ("g" + std::to_string(gpus));
      base::make_directories(folder);
      base::write_file_atomically(folder / (std::to_string(repetition) + ".csv"),
                                  "t\n" + std::to_string(1.0 / gpus + repetition / 1000.0) + "\n");
    }
  }
}

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace

TEST_CASE("collect imports logs and prints their tables, and list shows their runs") {
  DlscaleProgram program;
  write_logs(program);
  const Ran ran = program.run(with({"collect", "logs", "-o", "study"}, kMeaning));
  CHECK(ran.err.empty());
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("imported 6 logs (6 csv) into study: 6 runs, 6 new, 0 changed"));
  CHECK_THAT(ran.out, Contains("6 of 6 runs used"));
  const Ran listed = program.run({"list", "study"});
  CHECK(listed.exit_code == 0);
  CHECK_THAT(listed.out, Contains("done"));
  const Ran analyzed = program.run({"analyze", "study", "--metric", "definitions"});
  CHECK(analyzed.exit_code == 0);
  CHECK_THAT(analyzed.out, Contains("by the median"));
}

TEST_CASE("a batch that the logs do not record is empty in lists and exports") {
  DlscaleProgram program;
  base::write_file_atomically(program.folder.path() / "rates.csv", "g,rate\n1,100\n2,180\n");
  program.run(
      {"collect", "rates.csv", "-o", "study", "--map", "gpus=g", "--map", "samples_per_s=rate"});
  const Ran listed = program.run({"list", "study", "--csv"});
  CHECK_THAT(listed.out, Contains("gpus,batch_per_gpu,global_batch,lr_peak,repetition"));
  CHECK_THAT(listed.out, Contains(",done,rates.csv,1,,,,1,"));
  program.run({"export", "study", "-o", "views"});
  CHECK_THAT(base::read_file(program.folder.path() / "views" / "run.csv"),
             Contains(",1,Completed,1,1,,,,"));
}

TEST_CASE("runs of logs cannot be submitted") {
  DlscaleProgram program;
  write_logs(program);
  program.run(with({"collect", "logs", "-o", "study"}, kMeaning));
  for (const char* verb : {"submit", "run"}) {
    const Ran ran = program.run({verb, "study"});
    INFO(verb << ": " << ran.out << ran.err);
    CHECK(ran.exit_code != 0);
  }
}

TEST_CASE("simultaneous collects into one folder keep all runs") {
  DlscaleProgram program;
  write_logs(program, "here");
  write_logs(program, "there");
  const auto commands = runner::make_command_runner();
  std::vector<runner::ProcessId> processes;
  for (const std::string name : {"here", "there", "here", "there"}) {
    std::vector<std::string> words =
        with({DLSCALE_BINARY_DIR "/bin/dlscale", "collect", name, "-o", "study"}, kMeaning);
    words.insert(words.end(), {"--set", "cluster=" + name});
    const std::string number = std::to_string(processes.size());
    processes.push_back(commands->start({words,
                                         program.folder.path(),
                                         program.folder.path() / ("out" + number),
                                         program.folder.path() / ("err" + number),
                                         {}}));
  }
  for (std::size_t i = 0; i < processes.size(); ++i) {
    CHECK(commands->wait(processes[i], 60).value().exit_code == 0);
    CHECK(base::read_file(program.folder.path() / ("err" + std::to_string(i))).empty());
  }
  const Ran last = program.run({"collect", "study", "--no-tables"});
  CHECK(last.exit_code == 0);
  CHECK_THAT(last.out, Contains("12 of 12 runs used"));
}

TEST_CASE("a pattern file reads logs of any kind, and its errors are reported with their place") {
  DlscaleProgram program;
  const std::filesystem::path log = program.folder.path() / "train.log";
  const std::filesystem::path pattern = program.folder.path() / "mine.toml";
  base::write_file_atomically(log, "on 4 GPUs\n[1] 250.0 img/s\n[2] 255.0 img/s\n");
  base::write_file_atomically(pattern,
                              "line = ['^on (?<gpus>\\d+) GPUs', '^\\[(?<step>\\d+)\\] "
                              "(?<samples_per_s>[\\d.]+) img/s']\n");
  const std::vector<std::string> words{"collect", "train.log", "-o",
                                       "study",   "--pattern", "mine.toml"};
  const Ran ran = program.run(words);
  CHECK(ran.err.empty());
  CHECK_THAT(ran.out, Contains("imported 1 log (1 pattern) into study: 1 run, 1 new"));
  base::write_file_atomically(pattern, "line = '(?<loss>.*)'\n[factor]\nlos = 2\n");
  const Ran refused = program.run(words);
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err,
             Contains("mine.toml:3:1: factor: unknown field \"los\"; did you mean \"loss\"?"));
}

TEST_CASE(
    "a log that cannot be imported gives exit code 1, and no importable log gives exit code 2") {
  DlscaleProgram program;
  write_logs(program);
  const std::filesystem::path odd = program.folder.path() / "logs" / "gx";
  base::make_directories(odd);
  base::write_file_atomically(odd / "1.csv", "t\n1\n");
  base::write_file_atomically(odd / "2.csv", "t\n1\nbroken\nbroken, too\n");
  const std::vector<std::string> some{"collect", "logs",          "-o",    "study",
                                      "--axis",  "gpus=g(\\d+)/", "--set", "global_batch=16",
                                      "--map",   "wall_s=t"};
  const Ran first = program.run(some);
  CHECK(first.exit_code == 1);
  CHECK_THAT(first.out, Contains("imported 6 logs (6 csv) into study: 6 runs, 6 new") &&
                            Contains("Skipped 2 files: the number of GPUs") &&
                            Contains("--set gpus=N") && Contains("example: logs/gx/1.csv\n") &&
                            Contains("6 of 6 runs used"));
  const Ran rest = program.run(with(some, {"--default", "gpus=1"}));
  CHECK(rest.exit_code == 0);
  CHECK_THAT(rest.out, Contains("8 runs, 2 new, 0 changed, 6 unchanged") &&
                           Contains("Skipped 1 line: wall_s is not a number: \"broken\"") &&
                           Contains("Skipped 1 line: has 2 of 1 columns; example: "));
  const Ran none = program.run(
      {"collect", "logs/gx", "-o", "other", "--map", "wall_s=t", "--set", "global_batch=16"});
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.err, Contains("the number of GPUs (ranks) is unknown"));
  CHECK_FALSE(std::filesystem::exists(program.folder.path() / "other"));
}

TEST_CASE("the extension before that of a compressed file determines the table format") {
  DlscaleProgram program;
  base::write_file_atomically(program.folder.path() / "rates.md.xz",
                              "| g | r |\n|---|---|\n| 2 | 9 |\n");
  const Ran ran = program.run(
      {"collect", "rates.md.xz", "-o", "study", "--map", "gpus=g", "--map", "samples_per_s=r"});
  CHECK(ran.exit_code == 0);  // compression is detected from the content
  CHECK_THAT(ran.out, Contains("imported 1 log (1 markdown) into study"));
}

TEST_CASE("log options require an output folder, and an output folder requires logs") {
  DlscaleProgram program;
  const Ran without = program.run({"collect", "--set", "gpus=2"});
  CHECK(without.exit_code == 2);
  CHECK_THAT(without.err, Contains("--set: applies only to the import of logs; add -o DIR"));
  const Ran nothing = program.run({"collect", "-o", "study"});
  CHECK(nothing.exit_code == 2);
  CHECK_THAT(nothing.err, Contains("-o: name the logs, or the folders that contain them"));
  write_logs(program);
  const Ran unknown = program.run({"collect", "logs", "-o", "study", "--format", "tim"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, Contains("unknown log format \"tim\"; did you mean \"timm\"?"));
  CHECK_FALSE(std::filesystem::exists(program.folder.path() / "study"));
}

}  // namespace dlscale::cli
