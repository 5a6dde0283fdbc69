// SPDX-License-Identifier: Apache-2.0
#include "runner/batch/clean_environment.hpp"

#include <stdlib.h>

#include <catch2/catch.hpp>

#include "runner/batch/command_runner.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using runner::Environment;

TEST_CASE("variables of an outer job are removed from the environment and listed in order") {
  const Environment all{{"SLURM_JOB_ID", "7"},
                        {"SBATCH_TIMELIMIT", "5"},
                        {"PATH", "/bin"},
                        {"SBATCH_ACCOUNT", "p"},
                        {"SLURM_CONF", "c"}};
  const auto clean = runner::clean_environment(all, "slurm", {"SBATCH_ACCOUNT"});
  CHECK(clean.variables ==
        Environment{{"PATH", "/bin"}, {"SBATCH_ACCOUNT", "p"}, {"SLURM_CONF", "c"}});
  CHECK(clean.removed == std::vector<std::string>{"SBATCH_TIMELIMIT", "SLURM_JOB_ID"});
}

TEST_CASE("a clean environment is not changed") {
  const Environment all{{"PATH", "/bin"}, {"EMPTY", ""}, {"WITH", "a=b\nc"}};
  const auto clean = runner::clean_environment(all, "local", {});
  CHECK(clean.variables == all);
  CHECK(clean.removed.empty());
}

TEST_CASE("the environment of this program is read with its values") {
  ::setenv("DLSCALE_TEST_VALUE", "a=b", 1);
  CHECK(runner::own_environment().at("DLSCALE_TEST_VALUE") == "a=b");
  ::unsetenv("DLSCALE_TEST_VALUE");
}

TEST_CASE("processes get the clean environment and the added variables") {
  const test::TempDir temp;
  const auto print = [&](runner::CommandRunner& commands) {
    return commands
        .run({{"bash", "-c", "echo ${SBATCH_EXPORT-none} ${SLURM_TIME_FORMAT-none} ${KEPT-none}"},
              temp.path(),
              {},
              {},
              {{"SLURM_TIME_FORMAT", "%s"}}},
             20)
        .out;
  };
  ::setenv("SBATCH_EXPORT", "NONE", 1);
  ::setenv("SLURM_TIME_FORMAT", "relative", 1);
  ::setenv("KEPT", "yes", 1);
  const auto commands = runner::make_command_runner();
  const auto chosen = runner::make_command_runner({{{"SBATCH_EXPORT", "ALL"}}, {}});
  ::unsetenv("SBATCH_EXPORT");
  ::unsetenv("SLURM_TIME_FORMAT");
  ::unsetenv("KEPT");
  CHECK(print(*commands) == "none %s yes\n");
  CHECK(print(*chosen) == "ALL %s none\n");
}
