// SPDX-License-Identifier: Apache-2.0
// Tests of completion that source the bash script and call its function.
#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "base/file.hpp"
#include "tests/cli/dlscale_program.hpp"
#include "tests/planner/bash_run.hpp"
#include "tests/support/skip.hpp"

using namespace dlscale;

namespace {

using CompletionWords = std::vector<std::string>;
const std::string kDlscale = DLSCALE_BINARY_DIR "/bin/dlscale";
const std::string kDemo = DLSCALE_SOURCE_DIR "/examples/studies/demo/study.toml";

/// Returns the completions that bash offers for a command line. The words are split as bash splits
/// them.
CompletionWords offered(const std::filesystem::path& folder, const CompletionWords& line) {
  std::string words;
  for (const std::string& word : line) words += " " + planner::shell_quote(word);
  const test::ShellResult ran =
      test::run_bash("cd " + planner::shell_quote(folder.string()) + " && source <(" + kDlscale +
                     " completion bash) && COMP_WORDS=(" + kDlscale + words +
                     ") COMP_CWORD=" + std::to_string(line.size()) +
                     " && _dlscale && printf '%s\\n' \"${COMPREPLY[@]}\"");
  std::istringstream lines(ran.out);
  CompletionWords found;
  for (std::string one; std::getline(lines, one);) found.push_back(one);
  return found;
}

bool contains(const CompletionWords& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

TEST_CASE("bash completes commands and subcommands") {
  const test::TempDir dir;
  CHECK(offered(dir.path(), {"co"}) == CompletionWords{"collect", "compare", "completion"});
  CHECK(contains(offered(dir.path(), {""}), "plan"));
  CHECK(offered(dir.path(), {"init", "st"}) == CompletionWords{"study"});
  CHECK(offered(dir.path(), {"completion", ""}) == CompletionWords{"bash", "fish", "zsh"});
}

TEST_CASE("bash completes the visible options of the command") {
  const test::TempDir dir;
  CHECK(offered(dir.path(), {"collect", "--re"}) == CompletionWords{"--rebuild"});
  CHECK(offered(dir.path(), {"plan", "show", "--j"}) == CompletionWords{"--json"});
  CHECK_FALSE(contains(offered(dir.path(), {"completion", "--"}), "--answer"));
}

TEST_CASE("bash completes option values after a space and after =") {
  const test::TempDir dir;
  CHECK(offered(dir.path(), {"analyze", "--metric", "sp"}) == CompletionWords{"speedup"});
  CHECK(offered(dir.path(), {"analyze", "--metric", "=", "sp"}) == CompletionWords{"speedup"});
  CHECK(contains(offered(dir.path(), {"analyze", "--metric", "="}), "breakdown"));
  CHECK(contains(offered(dir.path(), {"plan", "--site", "loc"}), "local"));
  CHECK(contains(offered(dir.path(), {"plot", ""}), "efficiency"));
}

TEST_CASE("bash completes studies, and run ids of the given plan folder") {
  test::DlscaleProgram dlscale;
  base::write_file_atomically(dlscale.folder / "my study.toml", "");
  base::write_file_atomically(dlscale.folder / "notes.txt", "");
  CHECK(dlscale.run({"plan", kDemo, "-o", "demo"}).exit_code == 0);
  const std::filesystem::path folder = dlscale.folder.path();
  CHECK(offered(folder, {"plan", ""}) == CompletionWords{"show", "my study.toml", "demo"});
  CHECK(offered(folder, {"plan", "my"}) == CompletionWords{"my study.toml"});
  CHECK(offered(folder, {"list", ""}) == CompletionWords{"demo"});
  CHECK(offered(folder, {"list", "demo", "ddp-mlp-g1"}).size() == 12);
  CHECK(offered(folder, {"list", "demo", "--run", "ddp-mlp-g1"}).size() == 12);
  CHECK(contains(offered(folder, {"analyze", "demo", "de"}), "demo"));
  CHECK(offered(folder, {"analyze", "demo", "ddp-mlp-g1"}).size() == 12);
  CHECK(offered(folder, {"plan", "show", "demo", "sync"}).size() == 24);
  CHECK(offered(folder / "demo", {"plan", "show", "sync"}).size() == 24);
}

TEST_CASE("completion offers nothing and prints no error if nothing can be completed") {
  const test::TempDir dir;
  CHECK(offered(dir.path(), {"plan", "--no-such", "-S", "x"}) == CompletionWords{""});
  CHECK(offered(dir.path(), {"nonsense", "--"}) == CompletionWords{"--help", "--version"});
  base::write_file_atomically(dir / "plan.json", "{");
  CHECK(offered(dir.path(), {"list", ".", "d"}) == CompletionWords{""});
}

TEST_CASE("bash, zsh and fish get scripts, and an unknown shell is rejected") {
  test::DlscaleProgram dlscale;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const test::Ran ran = dlscale.run({"completion", shell});
    CHECK(ran.exit_code == 0);
    CHECK_THAT(ran.out, Catch::Contains("completion --answer --"));
  }
  const test::Ran ran = dlscale.run({"completion", "tcsh"});
  CHECK(ran.exit_code == 2);
  CHECK(ran.err == "dlscale: unknown shell \"tcsh\" (known: bash, zsh, fish)\n");
  CHECK(dlscale.run({"completion"}).exit_code == 2);
}

TEST_CASE("zsh and fish accept the syntax of their scripts") {
  for (const std::string shell : {"zsh", "fish"}) {
    if (test::run_bash("command -v " + shell).exit_code != 0) {
      test::skip("no " + shell + " here");
      continue;
    }
    CHECK(test::run_bash(kDlscale + " completion " + shell + " | " + shell + " -n").out == "");
  }
}
