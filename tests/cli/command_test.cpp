// SPDX-License-Identifier: Apache-2.0
// Tests of properties that every command has, and of the errors for bad input.
#include "cli/command.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "contract/version.hpp"
#include "tests/cli/dlscale_program.hpp"
#include "tests/planner/bash_run.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::EndsWith;
using Catch::StartsWith;

namespace {

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Path of the demo study.
const std::string kStudy = DLSCALE_SOURCE_DIR "/examples/studies/demo/study.toml";

void check_one_line(const test::Ran& ran, int exit_code, const std::string& says) {
  CHECK(ran.exit_code == exit_code);
  CHECK(ran.out == "");
  CHECK_THAT(ran.err, Contains(says));
  CHECK(lines(ran.err) == 1);
}

}  // namespace

TEST_CASE("every verb has a one-line summary and an example that starts with it") {
  for (const cli::CommandEntry* entry : cli::command_table()) {
    INFO(entry->name);
    const std::string summary = entry->summary, example = entry->example;
    CHECK_FALSE(summary.empty());
    CHECK(lines(summary) == 0);
    CHECK(summary.back() != '.');
    CHECK(example.rfind(std::string("dlscale ") + entry->name, 0) == 0);
  }
}

TEST_CASE("help lists every verb with its summary") {
  test::DlscaleProgram dlscale;
  const test::Ran help = dlscale.run({"--help"});
  CHECK(help.exit_code == 0);
  CHECK(help.err == "");
  for (const cli::CommandEntry* entry : cli::command_table())
    CHECK_THAT(help.out, Contains(entry->name));
}

TEST_CASE("the help of every verb shows its options and its example") {
  test::DlscaleProgram dlscale;
  for (const cli::CommandEntry* entry : cli::command_table()) {
    const test::Ran help = dlscale.run({entry->name, "--help"});
    CHECK(help.exit_code == 0);
    CHECK_THAT(help.out, Contains(entry->summary) && Contains(entry->example));
  }
}

TEST_CASE("the option --version prints version, commit and build") {
  test::DlscaleProgram dlscale;
  const std::string out = dlscale.run({"--version"}).out;
  CHECK_THAT(out, StartsWith(std::string("dlscale ") + contract::version() + "\ncommit "));
  CHECK_THAT(out, Contains("\nbuild ") && EndsWith("\n"));
  CHECK(std::count(out.begin(), out.end(), '\n') == 3);
}

TEST_CASE("an unknown command or option is rejected with one line that names it") {
  test::DlscaleProgram dlscale;
  check_one_line(dlscale.run({"plam"}), 2, "unknown verb \"plam\"; did you mean \"plan\"?");
  check_one_line(dlscale.run({"plan", "study.toml", "--no-such-option"}), 2,
                 "--no-such-option; see dlscale plan --help");
  check_one_line(dlscale.run({}), 2, "a verb is required: ");
  check_one_line(dlscale.run({"plan"}), 2, "study");
}

TEST_CASE("an unreadable study is rejected before anything is written") {
  test::DlscaleProgram dlscale;
  check_one_line(dlscale.run({"run", "missing.toml", "-o", "out"}), 2, "missing.toml");
  check_one_line(dlscale.run({"run", kStudy, "-o", "out", "-S", "matrix.modle=[\"mlp\"]"}), 2,
                 "did you mean \"model\"?");
  CHECK(std::filesystem::is_empty(dlscale.folder.path()));
}

TEST_CASE("run rejects a site with a batch system before anything is written") {
  test::DlscaleProgram dlscale;
  check_one_line(dlscale.run({"run", kStudy, "--site", "nef", "-o", "out"}), 2,
                 "run works only on this machine, but site nef has the scheduler oar");
  CHECK(std::filesystem::is_empty(dlscale.folder.path()));
}

TEST_CASE("run stops without a trainer before anything is written") {
  test::DlscaleProgram dlscale;
  base::write_file_atomically(dlscale.folder / "here.toml",
                              "name = \"here\"\nscheduler = \"local\"\ntrainer = \"no-trainer\"\n");
  check_one_line(dlscale.run({"run", kStudy, "--site", "here.toml", "-o", "out"}), 2,
                 "trainer no-trainer not found");
  CHECK_FALSE(std::filesystem::exists(dlscale.folder / "out"));
}

TEST_CASE("output that cannot be written is an error") {
  const std::string dlscale = DLSCALE_BINARY_DIR "/bin/dlscale";
  for (const std::string verb : {"--help", "templates list", "plan -n"}) {
    const std::string study = verb == "plan -n" ? " " + kStudy : "";
    const test::ShellResult ran = test::run_bash(dlscale + " " + verb + study + " > /dev/full");
    CHECK(ran.exit_code == 1);
    CHECK(ran.out == "dlscale: cannot write to standard output\n");
  }
}

TEST_CASE("an output folder that cannot be made is reported in one line") {
  test::DlscaleProgram dlscale;
  base::write_file_atomically(dlscale.folder / "file", "");
  check_one_line(dlscale.run({"plan", kStudy, "-o", "file"}), 2, "file");
  check_one_line(dlscale.run({"plan", kStudy, "-o", "/proc/nowhere"}), 2, "/proc/nowhere");
  check_one_line(dlscale.run({"collect", "nowhere"}), 2, "no plan.json in nowhere");
}
