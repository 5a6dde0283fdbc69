// SPDX-License-Identifier: Apache-2.0
#include "runner/batch/cluster_probe.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "runner/batch/command_runner.hpp"
#include "tests/support/temp_dir.hpp"

namespace dlscale {
namespace {

using runner::choose_cluster_probe;

void make_program(const std::filesystem::path& file) {
  std::ofstream(file) << "#!/bin/sh\n";
}

std::string answer_of(const std::vector<std::string>& words, double timeout_s = 10) {
  const auto commands = runner::make_command_runner();
  return runner::ask_with(*commands, timeout_s)(words);
}

int exit_code_of(const std::vector<std::string>& words, const std::string& message,
                 double timeout_s = 10) {
  try {
    answer_of(words, timeout_s);
  } catch (const base::RunError& error) {
    CHECK(error.what() == message);
    return error.exit_code();
  }
  return 0;
}

TEST_CASE("the batch system with a program on PATH is probed") {
  const test::TempDir folder;
  make_program(folder / "oarnodes");
  const std::string path = "/nowhere::" + folder.path().string();
  CHECK(choose_cluster_probe("", path).name == std::string("oar"));
  CHECK(choose_cluster_probe("oar", path).name == std::string("oar"));
}

TEST_CASE("the error for a machine without a batch system contains alternatives") {
  CHECK_THROWS_MATCHES(
      choose_cluster_probe("", "/nowhere"), base::UsageError,
      Catch::Message(
          "no sinfo (slurm) and no oarnodes (oar) on PATH: run dlscale init site on a login node "
          "of the cluster, or copy a file share/dlscale/sites/generic-*.toml of the installation "
          "and replace the example values in the copy"));
  CHECK_THROWS_WITH(choose_cluster_probe("slurm", ""),
                    Catch::StartsWith("no sinfo (slurm) on PATH"));
}

TEST_CASE("the user must choose one of two batch systems by its name") {
  const test::TempDir folder;
  make_program(folder / "oarnodes");
  make_program(folder / "sinfo");
  CHECK_THROWS_WITH(choose_cluster_probe("", folder.path().string()),
                    "sinfo and oarnodes are both on PATH: choose one with --scheduler");
  CHECK(choose_cluster_probe("slurm", folder.path().string()).name == std::string("slurm"));
  CHECK_THROWS_WITH(choose_cluster_probe("slrum", folder.path().string()),
                    Catch::StartsWith("unknown scheduler \"slrum\"; did you mean \"slurm\"?"));
}

TEST_CASE("programs of the batch system run in the C locale") {
  CHECK(answer_of({"sh", "-c", "echo one; echo \"$LC_ALL\""}) == "one\nC\n");
}

TEST_CASE("a failing program counts as unreachable, with its error message") {
  CHECK(exit_code_of({"sh", "-c", "echo; echo no controller >&2; echo more >&2; exit 1"},
                     "sh failed: no controller") == 4);
  CHECK(exit_code_of({"sh", "-c", "kill -9 $$"}, "sh failed: it printed no error message") == 4);
}

TEST_CASE("a program that does not answer in time is unreachable") {
  CHECK(exit_code_of({"sleep", "60"}, "sleep has not answered for 0.1 s", 0.1) == 4);
}

}  // namespace
}  // namespace dlscale
