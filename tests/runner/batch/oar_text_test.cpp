// SPDX-License-Identifier: Apache-2.0
#include "runner/batch/oar_text.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "base/file.hpp"

using namespace dlscale;
using namespace dlscale::runner;

namespace {

/// Returns the job from recorded output of oarstat of OAR 2.5.9.
oar::ListedJob listed(const JobId& id) {
  const std::string text =
      base::read_file(DLSCALE_SOURCE_DIR "/tests/data/schedulers/oarstat.json");
  for (const oar::ListedJob& job : oar::parse_jobs(text)) {
    if (job.id == id) return job;
  }
  FAIL("no job " << id);
  return {};
}

JobStatus status(const std::string& state, const std::string& exit_code,
                 const std::string& events = "") {
  const std::string text = fmt::format(
      R"({{"1":{{"state":"{}","exit_code":{},"startTime":5,"stopTime":9,"message":"m","events":[{}]}}}})",
      state, exit_code, events);
  return oar::parse_jobs(text).at(0).status;
}

std::string event(const std::string& type) {
  return fmt::format(R"({{"type":"{}","description":"why"}})", type);
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a job that ended by itself has the exit code of its script") {
  const oar::ListedJob job = listed("8");
  CHECK(job.name == "plan-array.tokarray");
  CHECK(job.array_index == 2);
  CHECK(job.repeats.empty());
  CHECK(job.status.state == JobState::Failed);
  CHECK(job.status.exit_code == 3);
  CHECK(job.status.started_at == 1795286110);
  CHECK(job.status.ended_at == 1795286118);
  CHECK(job.status.nodes == Names{"node-2"});
}

TEST_CASE("events explain the end of a job without an exit code") {
  CHECK(listed("4").status.state == JobState::Cancelled);
  CHECK(listed("4").status.reason ==
        "FRAG_JOB_REQUEST: User scientist requested to frag the job 4");
  CHECK(listed("5").status.state == JobState::TimedOut);
  CHECK(listed("6").status.state == JobState::Cancelled);
  CHECK(listed("6").status.started_at == 0);
  CHECK_FALSE(listed("5").status.exit_code.has_value());
}

TEST_CASE("the event that explains the other events determines the state") {
  const std::string frag = event("FRAG_JOB_REQUEST"), walltime = event("WALLTIME");
  CHECK(status("Error", "null", event("CPUSET_ERROR")).state == JobState::NodeFailed);
  CHECK(status("Error", "null", frag + "," + event("EXTERMINATE_JOB")).state ==
        JobState::Cancelled);
  CHECK(status("Error", "null", frag + "," + walltime).state == JobState::TimedOut);
  CHECK(status("Error", "null", walltime + "," + event("CPUSET_CLEAN_ERROR")).state ==
        JobState::NodeFailed);
  CHECK(status("Error", "null", frag + "," + event("BESTEFFORT_KILL")).state ==
        JobState::Preempted);
  const JobStatus output = status("Error", "null", event("OUTPUT_FILES"));
  CHECK(output.state == JobState::Failed);
  CHECK(output.reason == "OUTPUT_FILES: why");
  CHECK(status("Error", "null").reason == "m");
}

TEST_CASE("exit codes of OAR are wait statuses") {
  CHECK(status("Terminated", "0").state == JobState::Done);
  CHECK(status("Terminated", "0").exit_code == 0);
  CHECK(status("Terminated", "25344").exit_code == 99);
  CHECK(status("Terminated", "11").signal == 11);
  CHECK_FALSE(status("Terminated", "11").exit_code.has_value());
}

TEST_CASE("every waiting or running state of OAR is mapped to a job state") {
  for (const char* state : {"Waiting", "Hold", "toLaunch", "toAckReservation", "Launching"}) {
    CHECK(status(state, "null").state == JobState::Queued);
    CHECK(status(state, "null").started_at == 0);
  }
  for (const char* state : {"Running", "Suspended", "Resuming", "Finishing", "toError", "New"}) {
    CHECK(status(state, "null").state == JobState::Running);
    CHECK(status(state, "null").started_at == 5);
    CHECK(status(state, "null").ended_at == 0);
  }
  CHECK(listed("10").status.reason == "Hold");
  CHECK(status("Waiting", "null").reason == "m");
}

TEST_CASE("a repeated job names the job that it repeats") {
  const auto jobs = oar::parse_jobs(R"({"9":{"state":"Waiting","resubmit_job_id":4}})");
  CHECK(jobs.at(0).repeats == "4");
}

TEST_CASE("an empty answer has no jobs, and an OAR answer that is not JSON is an error") {
  CHECK(oar::parse_jobs("\n").empty());
  CHECK(oar::parse_jobs("{}").empty());
  CHECK_THROWS_AS(oar::parse_jobs("No Perl JSON module is available"), SchedulerUnreachable);
}

TEST_CASE("job ids are read from oarsub, and the id of a rejection is ignored") {
  CHECK(oar::submitted_ids("[ADMISSION RULE] x\nOAR_JOB_ID=7\nOAR_JOB_ID=8\nOAR_ARRAY_ID=7\n") ==
        Names{"7", "8"});
  CHECK(oar::submitted_ids("OAR_JOB_ID=-5\n").empty());
  CHECK(oar::submitted_ids("OAR_JOB_ID=\n").empty());
}

TEST_CASE("the reason of a rejection has no warnings, information or general error") {
  CHECK(oar::refusal_in("/!\\ Ignore script value for name parameter : a\nThere are not enough "
                        "resources for your request\n[ERROR] Oarsub failed\n") ==
        "There are not enough resources for your request");
  CHECK(
      oar::refusal_in("# ADMISSION RULE> Set default walltime to 3600.\n# ADMISSION RULE> ERROR : "
                      "Walltime too big\n[ERROR] Oarsub failed, please verify\n") ==
      "# ADMISSION RULE> ERROR : Walltime too big");
  CHECK(oar::refusal_in("[ADMISSION RULE] Set default walltime to 3600.\n[ADMISSION RULE] root may "
                        "not submit jobs.\n\n[ERROR] Oarsub failed, please verify\n") ==
        "[ADMISSION RULE] root may not submit jobs.");
  CHECK(oar::refusal_in("[ERROR] Oarsub failed, please verify\n") ==
        "[ERROR] Oarsub failed, please verify");
  CHECK(oar::refusal_in("\n") == "OAR gave no reason");
}

TEST_CASE("job names are valid for OAR and end with their token") {
  CHECK(oar::job_name("a b/c'd", "tok") == "a-b-c-d.tok");
  const std::string longest = oar::job_name(std::string(200, 'x'), "tok");
  CHECK(longest.size() == 100);
  CHECK(longest.ends_with("x.tok"));
}

TEST_CASE("avoided nodes are added to the properties of the script") {
  CHECK(oar::properties("#!/bin/bash\n#OAR -p a='1'\n#OAR -p gpu = 'T4' \r\n", {"n1", "n2"}) ==
        "(gpu = 'T4') AND network_address NOT IN ('n1','n2')");
  CHECK(oar::properties("#!/bin/bash\n#OAR -q x\n", {"n1"}) == "network_address NOT IN ('n1')");
}

TEST_CASE("parameters are selected for the chosen tasks in their order") {
  CHECK(oar::chosen_parameters("10\n11\n12\n", {2, 0}) == "12\n10\n");
  CHECK_THROWS_WITH(oar::chosen_parameters("10\n", {1}),
                    "the array has 1 tasks and no task with the number 1");
}

TEST_CASE("the name of an array lists the ids of its jobs") {
  CHECK(oar::joined({"12", "13", "14", "17"}) == "12-14,17");
  CHECK(oar::single_jobs({"12-14,17", "3"}) == Names{"12", "13", "14", "17", "3"});
}

TEST_CASE("errors about OAR jobs that have already ended are ignored") {
  CHECK(
      oar::first_objection("Cannot frag 99 ; You are not the right user.\n/!\\ Cannot hold 3 : the "
                           "job is not in the right state (try '-r' option).\n")
          .empty());
  CHECK(oar::first_objection("Could not connect to the socket oarserver:6666\n") ==
        "Could not connect to the socket oarserver:6666");
}
