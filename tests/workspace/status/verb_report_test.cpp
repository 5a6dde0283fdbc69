// SPDX-License-Identifier: Apache-2.0
// Tests of `--json` for the commands that act on runs.
#include <catch2/catch.hpp>

#include "tests/cli/small_study.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::EndsWith;
using Catch::StartsWith;
using Planned = test::SmallStudy;

TEST_CASE("submit --json prints one object and writes all other text to standard error") {
  Planned planned;
  const test::Ran ran = planned.run({"submit", "p", "--json"});
  INFO(ran.out << ran.err);
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, StartsWith("{\n") && EndsWith("}\n"));
  CHECK_THAT(ran.out, Contains("\"verb\": \"submit\"") && Contains("\"jobs\": 2"));
  CHECK_THAT(ran.out, Contains("\"submitted\": 2"));
  CHECK_THAT(ran.out, Contains("\"done\": 2"));
  CHECK_THAT(ran.out, Contains("\"action\":\"submitted\"") && Contains("\"launch\":1"));
  CHECK_THAT(ran.err, Contains("submitted ") && Contains("2 runs: 2 done\n"));
  const test::Ran again = planned.run({"submit", "p", "--json"});
  CHECK_THAT(again.out, Contains("\"actions\": {}") && Contains("\"action\":\"\""));
}

TEST_CASE("submit --json reports failed runs, and retry --json reports resubmitted runs") {
  Planned planned;
  base::write_file_atomically(planned.dlscale.folder / "p/fail", "");
  const test::Ran failed = planned.run({"submit", "p", "--json"});
  CHECK(failed.exit_code == 1);
  CHECK_THAT(failed.out, Contains("\"exit_code\": 1") && Contains("\"state\":\"failed\""));
  CHECK_THAT(failed.out, Contains("\"reason\":\"no luck\""));
  std::filesystem::remove(planned.dlscale.folder / "p/fail");
  const test::Ran dry = planned.run({"retry", "p", "--json", "--dry-run"});
  CHECK_THAT(dry.out, Contains("\"dry_run\": true") && Contains("\"verb\": \"retry\""));
  CHECK_THAT(dry.out, Contains("/p/jobs/") && Contains("\"submitted\": 2"));
  CHECK_THAT(planned.run({"retry", "p", "--json"}).out, Contains("\"launch\":2"));
  const test::Ran none = planned.run({"retry", "p", "--json"});
  CHECK(none.exit_code == 3);
  CHECK_THAT(none.out, Contains("\"error\": \"0 of 2 runs are failed or"));
}

TEST_CASE("a rejected job is reported in the JSON object and as an error") {
  Planned planned("slurm.toml");
  planned.program("sbatch", "#!/bin/sh\necho 'sbatch: error: Invalid account' >&2; exit 1\n");
  const test::Ran ran = planned.run({"submit", "p", "--json"});
  CHECK(ran.exit_code == 1);
  CHECK_THAT(ran.out, Contains("\"refused\": 2") && Contains("\"error\": \"2 runs rejected: "));
  CHECK_THAT(ran.out, Contains("\"state\":\"planned\"") && Contains("\"reason\":\"job "));
  CHECK_THAT(ran.out, Contains("Invalid account\"") && Contains("\"launch\":null"));
  CHECK_THAT(ran.err, Contains("dlscale: 2 runs rejected: sbatch: error: Invalid account"));
}

TEST_CASE("a run above the submit limit waits, with SLURM's message as the reason") {
  Planned planned("slurm.toml");
  planned.program("sbatch",
                  "#!/bin/sh\n[ -e one ] || { : >one; echo 41; exit 0; }\n"
                  "echo 'sbatch: error: QOSMaxSubmitJobPerUserLimit' >&2\n"
                  "echo \"sbatch: error: Batch job submission failed: Job violates accounting/QOS "
                  "policy (job submit limit, user's size and/or time limits)\" >&2; exit 1\n");
  planned.program("squeue", "#!/bin/sh\necho '41|PENDING|0|0|None|5|6||41|N/A|x|'\n");
  const test::Ran ran = planned.run({"submit", "p", "--once", "--json"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("\"submitted\": 1") && Contains("\"waiting\": 1"));
  CHECK_THAT(ran.out,
             Contains("sbatch: error: QOSMaxSubmitJobPerUserLimit; Batch job submission failed: "));
  CHECK_THAT(ran.err, Contains("; waiting until the scheduler accepts more jobs\n") &&
                          Contains("1 run not submitted yet"));
}

TEST_CASE("wait --json reports the runs whose end it observed") {
  Planned planned;
  REQUIRE(planned.run({"submit", "p", "--detach"}).exit_code == 0);
  const test::Ran ran = planned.run({"wait", "p", "--json"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("\"verb\": \"wait\"") && Contains("\"done\": 2"));
  const test::Ran again = planned.run({"wait", "p", "--json"});
  CHECK_THAT(again.out, Contains("\"actions\": {}"));
  CHECK(planned.run({"submit", "p", "--detach", "--json"}).exit_code == 2);
}

TEST_CASE("cancel --json reports the jobs to cancel, then the cancelled jobs") {
  Planned planned("slurm.toml");
  planned.program("sbatch", "#!/bin/sh\necho 41\n");
  planned.program("squeue",
                  "#!/bin/sh\n[ -e ended ] && s=CANCELLED || s=PENDING\n"
                  "echo \"41|$s|0|0|None|5|6||41|N/A|x|\"\n");
  planned.program("scancel", "#!/bin/sh\n: >\"$OLDPWD/ended\"; : >ended\n");
  planned.program("sacct", "#!/bin/sh\nexit 1\n");
  CHECK(planned.run({"cancel", "p", "--json"}).exit_code == 3);
  const test::Ran one = planned.run({"submit", "p", "*-b8-*", "--json"});
  CHECK_THAT(one.out, Contains("\"state\":\"submitted\"") && Contains("\"job_id\":\"41\""));
  const test::Ran listed = planned.run({"cancel", "p", "--json"});
  CHECK(listed.exit_code == 0);
  CHECK_THAT(listed.out, Contains("\"dry_run\": true") && Contains("\"jobs\": 1"));
  CHECK_THAT(listed.out, Contains("\"cancelled\": 1"));
  CHECK_THAT(listed.err, Contains("add --yes to cancel these jobs"));
}
