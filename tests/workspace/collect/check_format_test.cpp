// SPDX-License-Identifier: Apache-2.0
#include "workspace/collect/check_format.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using Catch::Contains;

namespace {

constexpr const char* kFormat =
    "name = \"mine\"\nsummary = \"s\"\nrates = \"r\"\nrecognise.any = [{ starts = \"step\" }]\n"
    "[[line]]\npattern = '^step (?<s>(?&NUM)) s'\nsteps = { wall_s = \"s\" }\n";

/// Folder with a format file, and a log in a launch folder of a run with a global batch of 64.
struct LaunchFolder {
  test::TempDir folder;
  std::string format = (folder.path() / "mine.toml").string();
  std::string log = (folder.path() / "runs/r/launch-1/stdout").string();

  LaunchFolder() {
    base::make_directories(folder.path() / "runs/r/launch-1");
    base::write_file_atomically(format, kFormat);
    base::write_file_atomically(log, "hello\nstep 0.5 s\nstep 0.25 s\n");
    contract::RunSpec run{.run_id = "r"};
    run.global_batch = 64;
    base::write_file_atomically(folder.path() / "runs/r/run.json", to_json(run));
  }
  std::string check(const std::vector<std::string>& stated = {}, bool has_results = true) const {
    std::ostringstream out;
    CHECK(workspace::check_format({format, {log}, stated}, out) == has_results);
    return out.str();
  }
};

}  // namespace

TEST_CASE("check-format prints what is read from each line, and counts the results") {
  const std::string text = LaunchFolder().check();
  CHECK_THAT(text, Contains("1  ignored") && Contains("hello\n"));
  CHECK_THAT(text, Contains("3 lines: 2 entries with steps, 0 epochs, 0 evaluations; 1 ignored"));
}

TEST_CASE("check-format takes the batch from the description of the run, or from the user") {
  const LaunchFolder launch;
  CHECK_THAT(launch.check(), Contains("1 step: 64 samples, 0.5 s"));
  CHECK_THAT(launch.check({"global_batch=32"}), Contains("1 step: 32 samples, 0.5 s"));
}

TEST_CASE("check-format reports a log without results, and errors with their place") {
  const LaunchFolder launch;
  base::write_file_atomically(launch.log, "hello\n");
  CHECK_THAT(launch.check({}, false), Contains("the format does not recognise this log"));
  base::write_file_atomically(launch.format, "nam = \"mine\"\n");
  std::ostringstream out;
  CHECK_THROWS_WITH(workspace::check_format({launch.format, {launch.log}, {}}, out),
                    Contains("mine.toml:1:") && Contains("did you mean \"name\""));
  CHECK_THROWS_AS(workspace::check_format({"no_such_format", {launch.log}, {}}, out), base::Error);
  CHECK(out.str().empty());
}

TEST_CASE("check-format shows the facts of a line, and warns of a misspelt group") {
  const LaunchFolder launch;
  base::write_file_atomically(
      launch.format,
      "line = ['^step (?<throughput>[\\d.]+)', '^test (?<accuracy>[\\d.]+) (?<x>.)']\n");
  base::write_file_atomically(launch.log, "step 0.5 s\ntest 0.25 a\n");
  const std::string text = launch.check();
  CHECK_THAT(text,
             Contains("1  fact: throughput = 0.5  ") && Contains("2  evaluation: accuracy 0.25"));
  CHECK_THAT(text, Contains("   fact: x = a\n") && Contains("; 0 ignored\n"));
  CHECK_THAT(text, Contains("warning: " + launch.format +
                            ":1:9: line: the group \"throughput\" is not a measured field") &&
                       !Contains("the group \"x\""));
}

TEST_CASE("check-format shows what is read from lines that give no record of their own") {
  const LaunchFolder launch;
  base::write_file_atomically(
      launch.format,
      "line = ['^it (?<wall_s>[\\d.]+) s (?<loss>[\\d.]+)', 'loss (?<loss>[\\d.]+)']\n");
  base::write_file_atomically(launch.log, "loss 2.50\nhello\nit 2 s 0.75\n");
  const std::string text = launch.check();
  CHECK_THAT(text, Contains("1  read: loss = 2.50  ") && Contains("2  ignored  ") &&
                       Contains("3  1 step: 64 samples, 2 s, loss 0.75") &&
                       Contains("; 1 ignored\n") && !Contains("read: wall_s"));
  base::write_file_atomically(launch.format,
                              "line = 'epoch (?<epoch>\\d+) loss (?<loss>[\\d.]+)'\n");
  base::write_file_atomically(launch.log, "epoch 0 loss 2.5\n");
  CHECK_THAT(launch.check(), Contains("1  epoch 0, loss 2.5  "));
}

TEST_CASE("check-format reads the other logs if one is empty, and prints format warnings once") {
  const LaunchFolder launch;
  base::write_file_atomically(launch.format,
                              "line = ['^step (?<throughput>[\\d.]+)', '(?<loss>[\\d.]+)$']\n");
  const std::string empty = (launch.folder.path() / "empty.log").string();
  base::write_file_atomically(empty, "");
  std::ostringstream out;
  CHECK_FALSE(workspace::check_format({launch.format, {launch.log, empty, launch.log}, {}}, out));
  const std::string text = out.str();
  CHECK_THAT(text, Contains("\n" + empty + ":\nproblem: " + empty + ": ") && Contains("empty\n"));
  CHECK(text.rfind("3 lines: ") > text.find("problem: "));
  const std::string warning = launch.format + ":1:9: line: the group ";
  CHECK_THAT(text, Contains(warning));
  CHECK(text.find(warning) == text.rfind(warning));
}

TEST_CASE("check-format prints nothing if one of the logs does not exist") {
  const LaunchFolder launch;
  std::ostringstream out;
  const std::string missing = launch.log + ".old";
  CHECK_THROWS_WITH(workspace::check_format({launch.format, {launch.log, missing}, {}}, out),
                    missing + ": no such file");
  const std::string folder = launch.folder.path().string();
  CHECK_THROWS_WITH(workspace::check_format({launch.format, {launch.log, folder}, {}}, out),
                    folder + ": is a folder; name the logs in the folder");
  CHECK_THROWS_AS(workspace::check_format({launch.format, {launch.log}, {"gpus"}}, out),
                  base::Error);
  CHECK(out.str().empty());
}

TEST_CASE("check-format names the patterns that read no line of any log") {
  const LaunchFolder launch;
  base::write_file_atomically(
      launch.format,
      "line = ['^step (?<wall_s>[\\d.]+)',\n        '^test (?<accuracy>[\\d.]+)',\n"
      "        '^lost (?<loss>[\\d.]+)']\n");
  CHECK_THAT(launch.check(),
             Contains("warning: " + launch.format + ":2:9: line: no line is read") &&
                 Contains("warning: " + launch.format + ":3:9: "));
  const std::string other = (launch.folder.path() / "other.log").string();
  base::write_file_atomically(other, "test 0.5\n");
  std::ostringstream out;
  CHECK(workspace::check_format({launch.format, {launch.log, other}, {}}, out));
  CHECK_THAT(out.str(), Contains(launch.format + ":3:9: ") && !Contains(launch.format + ":2:9: "));
}

TEST_CASE("check-format names the groups that never match in a pattern that reads lines") {
  const LaunchFolder launch;
  const auto check = [&](const std::string& line, bool has_results) {
    base::write_file_atomically(launch.format, "line = '" + line + "'\n");
    return launch.check({}, has_results);
  };
  base::write_file_atomically(launch.log, "Epoch 1/2 | 90 img/s | lr 0.1\n");
  const std::string text =
      check("Epoch (?<epoch>\\d+)/\\d+ | (?<samples_per_s>[\\d.]+) img/s | lr (?<lr>.+)", false);
  const std::string begin = "warning: " + launch.format + ":1:8: line: the group";
  CHECK_THAT(text, Contains(begin + "s lr, samples_per_s of the pattern 'Epoch ") &&
                       Contains("' never matched; a literal | must be written \\|\n"));
  CHECK_THAT(check("(?<samples_per_s>[\\d.]+) img/s [|\\|] lr (?<lr>.+?)(?<x>y)?$", true),
             Contains(begin + " x of the pattern ") && Contains("' never matched\n"));
  CHECK_THAT(check("(?<samples_per_s>[\\d.]+) img/s", true), !Contains("warning"));
}

TEST_CASE("check-format states how the epochs of a log count") {
  const LaunchFolder launch;
  base::write_file_atomically(launch.format,
                              "line = '^Epoch (?<epoch>\\d+)/\\d+: (?<accuracy>[\\d.]+)'\n");
  base::write_file_atomically(launch.log, "Epoch 1/2: 0.1\nEpoch 2/2: 0.2\n");
  CHECK_THAT(launch.check(), Contains("note: epochs count from 1 in this log (epochs_from = 1)"));
  base::write_file_atomically(launch.format,
                              std::string(kFormat) +
                                  "[[line]]\npattern = '^Epoch (?<e>\\d+)/\\d+: (?<a>(?&NUM))'\n"
                                  "evaluation = { epoch = \"e\", accuracy = \"a\" }\n");
  const std::string text = launch.check();
  CHECK_THAT(text, Contains("note: the first epoch is 1, but epochs count from 0") &&
                       Contains("epoch = \"epoch - 1\""));
  CHECK_THAT(text, Contains("note: " + launch.format + ":5:1: line: no line is read by this rule"));
}

TEST_CASE("check-format shows the rate of lines that state only a rate") {
  const LaunchFolder launch;
  base::write_file_atomically(launch.format,
                              "line = '(?<samples_per_s>\\d+) img/s( loss (?<loss>[\\d.]+))?'\n");
  base::write_file_atomically(launch.log, "3600 img/s\n720 img/s loss 0.5\n");
  CHECK_THAT(launch.check({"gpus=1"}), Contains("1  rate 3600 samples/s  ") &&
                                           Contains("2  rate 720 samples/s, loss 0.5  ") &&
                                           !Contains("1 samples"));
  CHECK_THAT(launch.check({"global_batch=32"}), Contains("1  1 step: 32 samples, "));
}

TEST_CASE("check-format warns of a time that rises like a clock, and names the right field") {
  const LaunchFolder launch;
  base::write_file_atomically(launch.format, "line = '^step (?<wall_s>[\\d.]+)'\n");
  base::write_file_atomically(launch.log, "step 10\nstep 20\nstep 30\n");
  CHECK_THAT(launch.check(), Contains("problem: line 1: wall_s rises from line to line") &&
                                 Contains("use the field elapsed_s instead of wall_s"));
}
