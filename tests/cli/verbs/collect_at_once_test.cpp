// SPDX-License-Identifier: Apache-2.0
// Tests of several `dlscale collect` processes on one folder at the same time.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/analysis/support/written_study.hpp"
#include "tests/cli/dlscale_program.hpp"

using namespace dlscale;
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

/// Study of a few runs that several processes collect.
struct Study {
  Study() {
    for (int repetition = 1; repetition <= 8; ++repetition) {
      for (const int gpus : {1, 2, 4}) study.add("ddp", gpus, {}, repetition);
    }
  }
  /// Returns the database as text by exporting its views to a new folder.
  std::string all() {
    const std::string out = "views-" + std::to_string(++exports_);
    const test::Ran ran = dlscale.run({"export", folder, "-o", out});
    INFO(ran.err);
    REQUIRE(ran.exit_code == 0);
    std::string text;
    for (const char* view : {"run", "step_window", "epoch", "eval"}) {
      text += base::read_file(dlscale.folder / out / (std::string(view) + ".csv"));
    }
    return text;
  }
  std::string bytes() const { return base::read_file(study.folder.database()); }

  /// Starts all commands before it waits for any of them. Returns the errors.
  std::string at_once(const std::vector<Words>& lines) {
    const auto commands = runner::make_command_runner();
    std::vector<runner::ProcessId> processes;
    const auto file = [&](const char* name, std::size_t i) {
      return dlscale.folder / (name + std::to_string(i));
    };
    for (std::size_t i = 0; i < lines.size(); ++i) {
      Words words{DLSCALE_BINARY_DIR "/bin/dlscale"};
      words.insert(words.end(), lines[i].begin(), lines[i].end());
      processes.push_back(
          commands->start({words, dlscale.folder.path(), file("out-", i), file("err-", i)}));
    }
    std::string problems;
    for (std::size_t i = 0; i < processes.size(); ++i) {
      const runner::ExitStatus status = commands->wait(processes[i], 120).value();
      if (status != runner::ExitStatus{}) problems += base::read_file(file("err-", i));
    }
    return problems;
  }

  test::WrittenStudy study;
  test::DlscaleProgram dlscale;
  std::string folder = study.folder.root().string();

 private:
  int exports_ = 0;
};

}  // namespace

TEST_CASE("simultaneous collects without a database give the result of a single collect") {
  Study it;
  CHECK(it.at_once(std::vector<Words>(6, {"collect", it.folder, "--no-tables"})).empty());
  const std::string together = it.all();
  fs::remove(it.study.folder.database());
  REQUIRE(it.dlscale.run({"collect", it.folder, "--no-tables"}).exit_code == 0);
  CHECK((together == it.all()));  // the parentheses keep Catch2 from printing the long texts
}

TEST_CASE("rebuilding twice gives the same bytes as the first collect") {
  Study it;
  REQUIRE(it.dlscale.run({"collect", it.folder, "--no-tables"}).exit_code == 0);
  const std::string collected = it.bytes();
  for (int i = 0; i < 2; ++i) {
    REQUIRE(it.dlscale.run({"collect", it.folder, "--no-tables", "--rebuild"}).exit_code == 0);
    CHECK((it.bytes() == collected));
  }
}

TEST_CASE("simultaneous rebuilds and collects leave the database of a single collect") {
  Study it;
  REQUIRE(it.dlscale.run({"collect", it.folder, "--no-tables"}).exit_code == 0);
  const std::string alone = it.all();
  const Words collect{"collect", it.folder, "--no-tables"};
  const Words rebuild{"collect", it.folder, "--no-tables", "--rebuild"};
  for (int round = 0; round < 3; ++round) {
    CHECK(it.at_once({rebuild, collect, rebuild, collect, rebuild, collect}).empty());
    CHECK((it.all() == alone));
  }
}

TEST_CASE("tables and analysis during rebuilds equal those of the records") {
  Study it;
  REQUIRE(it.dlscale.run({"collect", it.folder}).exit_code == 0);
  const Words rebuild{"collect", it.folder, "--rebuild"};
  CHECK(it.at_once({rebuild, {"analyze", it.folder}, rebuild, {"analyze", it.folder}}).empty());
  CHECK(it.dlscale.run({"verify", it.folder}).exit_code == 0);
}
