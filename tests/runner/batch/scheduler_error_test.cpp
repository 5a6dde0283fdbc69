// SPDX-License-Identifier: Apache-2.0
#include "runner/batch/scheduler_error.hpp"

#include <catch2/catch.hpp>

using dlscale::runner::scheduler_error;

TEST_CASE("the reason of a rejection is the error line among information lines") {
  const std::string error =
      "sbatch: error: Batch job submission failed: Invalid account or account/partition "
      "combination specified";
  for (const char* information :
       {"sbatch: [I] The budget of project p has 1234 node-hours left",
        "sbatch: info: jobs are charged for whole nodes", "sbatch: INFO your quota is 12 TB",
        "sbatch: lua: the default partition is main", "sbatch: -----------------",
        "sbatch: NOTE: maintenance on Monday", "sbatch: [I] see the page on errors: help.example",
        "sbatch: Job will run on partition main", "Welcome to the cluster", ""}) {
    INFO(information);
    CHECK(scheduler_error(std::string(information) + "\n" + error + "\n") == error);
    CHECK(scheduler_error(error + "\n" + information) == error);
  }
}

TEST_CASE("several errors are joined to one reason without lines of dashes") {
  CHECK(scheduler_error("sbatch: error: QOSMaxSubmitJobPerUserLimit\nsbatch: error: ------\n"
                        "sbatch: error: Batch job submission failed: Job violates policy\n") ==
        "sbatch: error: QOSMaxSubmitJobPerUserLimit; Batch job submission failed: Job violates "
        "policy");
  CHECK(scheduler_error("srun: fatal: A and B are mutually exclusive.\nsrun: error: no C\n") ==
        "srun: fatal: A and B are mutually exclusive.; srun: error: no C");
}

TEST_CASE("errors of scripts around the commands are found") {
  CHECK(scheduler_error("--> Verifying the account ...\n[ERROR] no such project\n") ==
        "[ERROR] no such project");
  CHECK(scheduler_error("sbatch: [I] hello\nsbatch: [E] no such project\n") ==
        "sbatch: [E] no such project");
  CHECK(scheduler_error("# INFO: queue default\n# ADMISSION RULE> ERROR : Walltime too big\n") ==
        "# ADMISSION RULE> ERROR : Walltime too big");
}

TEST_CASE("without an error the first line that is not information is the reason") {
  CHECK(scheduler_error("\nAccess/permission denied\nmore\n") == "Access/permission denied");
  CHECK(scheduler_error("sbatch: [I] hello\nsbatch: no room\n") == "sbatch: no room");
}

TEST_CASE("the last information line is the reason, and an empty text has no reason") {
  CHECK(scheduler_error("[ADMISSION RULE] Set default walltime to 3600.\n"
                        "[ADMISSION RULE] root and oar users are not allowed to submit jobs.\n") ==
        "[ADMISSION RULE] root and oar users are not allowed to submit jobs.");
  CHECK(scheduler_error("sbatch: [I] hello\n") == "sbatch: [I] hello");
  CHECK(scheduler_error(" \n\r\n").empty());
  CHECK(scheduler_error("").empty());
}
