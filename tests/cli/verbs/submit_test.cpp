// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale submit`, `wait`, `retry` and `cancel` on this machine and with substitutes for
// SLURM.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/cli/small_study.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::StartsWith;
using Planned = test::SmallStudy;

TEST_CASE("submit runs the jobs of this machine once") {
  Planned planned;
  const test::Ran first = planned.run({"submit", "p"});
  INFO(first.out << first.err);
  CHECK(first.exit_code == 0);
  CHECK_THAT(first.out, Contains("submitted ") && Contains("2 runs: 2 done\n"));
  const test::Ran again = planned.run({"submit", "p", "--wait"});
  CHECK(again.exit_code == 0);
  CHECK(again.out == "nothing to submit; 2 runs: 2 done\n");
  CHECK(planned.run({"wait", "p"}).exit_code == 0);
}

TEST_CASE("failed runs are left to retry, which resubmits the selected ones") {
  Planned planned;
  base::write_file_atomically(planned.dlscale.folder / "p/fail", "");
  CHECK(planned.run({"submit", "p"}).exit_code == 1);
  std::filesystem::remove(planned.dlscale.folder / "p/fail");
  const test::Ran left = planned.run({"submit", "p"});
  CHECK(left.exit_code == 0);
  CHECK_THAT(left.err, StartsWith("left out: 2 runs that ended without completing"));
  const test::Ran retried = planned.run({"retry", "p", "--where", "batch_per_gpu == 8"});
  CHECK(retried.exit_code == 0);
  CHECK_THAT(retried.err, Contains("1 of 1 run is failed or oom or timeout or node_fail"));
  CHECK(planned.run({"wait", "p"}).exit_code == 1);
  CHECK(planned.run({"retry", "p", "--state", "oom"}).exit_code == 3);
}

TEST_CASE("a dry run prints the commands and submits nothing") {
  Planned planned("slurm.toml");
  const test::Ran ran = planned.run({"submit", "p", "--dry-run"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, StartsWith("sbatch --parsable --comment="));
  CHECK_THAT(ran.out, Contains("/p/jobs/ddp-mlp-g1-b16-"));
  CHECK_FALSE(std::filesystem::exists(planned.dlscale.folder / "p/launch.jsonl"));
  CHECK(planned.run({"submit", "p", "-n", "--wait"}).exit_code == 2);
}

TEST_CASE("a dry run on this machine prints a command for each job") {
  Planned planned;
  const std::string out = planned.run({"submit", "p", "-n"}).out;
  CHECK_THAT(out, Contains("-g1-b8-") && Contains("-g1-b16-"));
  CHECK(std::count(out.begin(), out.end(), '\n') == 2);
}

TEST_CASE("a job rejected by the batch system is an error with its message and is logged") {
  Planned planned("slurm.toml");
  planned.program("sbatch", "#!/bin/sh\necho 'sbatch: error: Invalid account' >&2; exit 1\n");
  const test::Ran ran = planned.run({"submit", "p"});
  CHECK(ran.exit_code == 1);
  CHECK_THAT(ran.err, Contains("Invalid account"));
  CHECK(planned.log().back().event == "refused");
  CHECK(planned.run({"list", "p", "--csv"}).out.find(",planned,") != std::string::npos);
}

TEST_CASE("variables of an outer job are named and reach no SLURM command") {
  Planned planned("slurm.toml");
  planned.program("sbatch", "#!/bin/sh\nenv >sbatch.env; echo 41\n");
  for (const char* name : {"squeue", "sacct", "scancel"}) {
    planned.program(name, "#!/bin/sh\nenv >>\"${0%/*}/asked.env\"\n");
  }
  const std::map<std::string, std::string> outer{{"SBATCH_TIMELIMIT", "7"},
                                                 {"SLURM_JOB_ID", "12"},
                                                 {"SLURM_MEM_PER_CPU", "300"},
                                                 {"SQUEUE_FORMAT", "%i"},
                                                 {"SACCT_FORMAT", "x"},
                                                 {"SCANCEL_NAME", "x"},
                                                 {"RANK", "1"},
                                                 {"SLURM_CONF", "c"},
                                                 {"OTHER", "o"}};
  const test::Ran ran = planned.run({"submit", "p", "--once"}, outer);
  INFO(ran.err);
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out,
             StartsWith("removed from the environment: RANK, SACCT_FORMAT, SBATCH_TIMELIMIT, "
                        "SCANCEL_NAME, SLURM_JOB_ID, SLURM_MEM_PER_CPU, SQUEUE_FORMAT "
                        "(keep_environment in the site file keeps variables that jobs need)\n"));
  planned.run({"status", "p"}, outer);
  planned.run({"cancel", "p", "--yes"}, outer);
  for (const char* file : {"p/sbatch.env", "bin/asked.env"}) {
    const std::string text = "\n" + base::read_file(planned.dlscale.folder / file);
    CHECK_THAT(text, Contains("\nSLURM_CONF=c\n") && Contains("\nOTHER=o\n"));
    for (const char* name :
         {"SBATCH_", "SLURM_JOB_ID", "SLURM_MEM_", "SQUEUE_", "SACCT_", "SCANCEL_", "RANK="}) {
      CHECK_THAT(text, !Contains(std::string("\n") + name));
    }
  }
}

TEST_CASE("a variable in keep_environment reaches sbatch and is not named") {
  Planned planned("slurm.toml");
  planned.program("sbatch", "#!/bin/sh\nenv >sbatch.env; echo 41\n");
  const std::filesystem::path site = planned.dlscale.folder / "p/site.toml";
  base::write_file_atomically(site,
                              "keep_environment = ['SBATCH_ACCOUNT']\n" + base::read_file(site));
  const test::Ran ran =
      planned.run({"submit", "p", "--once"}, {{"SBATCH_ACCOUNT", "paid"}, {"SBATCH_QOS", "q"}});
  CHECK_THAT(ran.out, StartsWith("removed from the environment: SBATCH_QOS ("));
  CHECK_THAT(base::read_file(planned.dlscale.folder / "p/sbatch.env"),
             Contains("SBATCH_ACCOUNT=paid\n") && !Contains("SBATCH_QOS"));
}

TEST_CASE("a dry run prints commands that clear variables of the environment") {
  Planned planned("slurm.toml");
  const test::Ran ran =
      planned.run({"submit", "p", "--dry-run"}, {{"SBATCH_QOS", "q"}, {"SLURM_JOB_ID", "1"}});
  CHECK_THAT(ran.out, StartsWith("env -u SBATCH_QOS -u SLURM_JOB_ID sbatch --parsable --comment="));
}

TEST_CASE("other jobs are submitted if one is rejected, and the exit code is 1") {
  Planned planned("slurm.toml");
  planned.program("sbatch",
                  "#!/bin/sh\n[ -e one ] && { echo 41; exit 0; }\n"
                  ": >one; echo 'sbatch: error: Invalid account' >&2; exit 1\n");
  const test::Ran ran = planned.run({"submit", "p"});
  CHECK(ran.exit_code == 1);
  CHECK(ran.err == "dlscale: 1 run rejected: sbatch: error: Invalid account\n");
  CHECK_THAT(ran.out, Contains("1 job submitted; 1 run in the batch system\n"));
}

TEST_CASE("an unsubmitted run cannot be cancelled, and --once needs a batch system") {
  Planned planned;
  CHECK(planned.run({"cancel", "p"}).exit_code == 3);
  CHECK(planned.run({"cancel", "p", "--allow-empty"}).exit_code == 0);
  const test::Ran once = planned.run({"submit", "p", "--once"});
  CHECK(once.exit_code == 2);
  CHECK_THAT(once.err, Contains("--detach"));
  CHECK(planned.run({"wait", "p"}).out == "2 runs: 2 planned\n");
  CHECK(planned.run({"submit", "nowhere"}).exit_code == 2);
}

TEST_CASE("the polling interval must be finite and above 0") {
  Planned planned;
  for (const char* poll : {"0", "-1", "inf", "nan", "soon"}) {
    for (const char* verb : {"submit", "wait"}) {
      const test::Ran ran = planned.run({verb, "p", std::string("--poll=") + poll});
      CHECK(ran.exit_code == 2);
      CHECK_THAT(ran.err, Contains(std::string(poll) + " is not a number of seconds above 0"));
    }
  }
  CHECK(planned.run({"submit", "p", "--poll", "0.05"}).exit_code == 0);
}

TEST_CASE("an empty condition is rejected") {
  Planned planned;
  for (const char* verb : {"submit", "cancel", "status", "list"}) {
    const test::Ran ran = planned.run({verb, "p", "--where", " "});
    CHECK(ran.exit_code == 2);
    CHECK_THAT(ran.err, Contains("--where: the condition is empty"));
  }
  CHECK_FALSE(std::filesystem::exists(planned.dlscale.folder / "p/launch.jsonl"));
}

TEST_CASE("submit --detach continues in the background, and wait follows it") {
  Planned planned;
  const test::Ran ran = planned.run({"submit", "p", "--detach"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("continues as process ") && Contains("logs/submit.log"));
  const test::Ran waited = planned.run({"wait", "p"});
  CHECK(waited.exit_code == 0);
  CHECK_THAT(waited.out, Contains("2 runs: 2 done\n"));
}
