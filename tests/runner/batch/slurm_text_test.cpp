// SPDX-License-Identifier: Apache-2.0
#include "runner/batch/slurm_text.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "base/file.hpp"

using namespace dlscale;
using namespace dlscale::runner;

namespace {

/// Returns recorded output of the commands of SLURM 22.05.
std::string recorded(const std::string& name) {
  return base::read_file(DLSCALE_SOURCE_DIR "/tests/data/schedulers/" + name);
}

JobStatus queued(const JobId& id) {
  for (const auto& job : slurm::parse_queue(recorded("squeue.txt"))) {
    if (job.id == id) return job.status;
  }
  FAIL("no job " << id);
  return {};
}

JobStatus one_line(const std::string& line) {
  return slurm::parse_queue(line).at(0).status;
}

JobStatus booked(const std::string& line) {
  return slurm::parse_books(line).at("7");
}

using SlurmNames = std::vector<std::string>;

}  // namespace

TEST_CASE("squeue reports the state, code, times and nodes of each job") {
  const JobStatus failed = queued("2");
  CHECK(failed.state == JobState::Failed);
  CHECK(failed.exit_code == 3);
  CHECK(failed.reason.empty());
  CHECK(failed.started_at == 1795286807);
  CHECK(failed.ended_at == 1795286807);
  CHECK(failed.nodes == SlurmNames{"shape0n1"});
  CHECK(queued("1").state == JobState::Done);
  CHECK(queued("1").exit_code == 0);
  CHECK(queued("3").signal == 11);
  CHECK_FALSE(queued("3").exit_code.has_value());
  CHECK(queued("10").state == JobState::OutOfMemory);  // the state of its step
}

TEST_CASE("times that squeue only predicts are not start or end times") {
  const JobStatus held = queued("7");
  CHECK(held.state == JobState::Queued);
  CHECK(held.reason == "JobHeldUser");
  CHECK(held.started_at == 0);
  const JobStatus running = queued("9");
  CHECK(running.state == JobState::Running);
  CHECK(running.started_at == 1795286808);
  CHECK(running.ended_at == 0);
  CHECK(running.nodes == SlurmNames{"shape0n1", "shape0n2"});
  CHECK_FALSE(running.exit_code.has_value());
}

TEST_CASE("a job cancelled before its start has no start time and no exit code") {
  const JobStatus cancelled = queued("14");
  CHECK(cancelled.state == JobState::Cancelled);
  CHECK(cancelled.started_at == 0);
  CHECK(cancelled.ended_at == 1795286811);
  CHECK_FALSE(cancelled.exit_code.has_value());
  CHECK(cancelled.reason.empty());
}

TEST_CASE("each task of an array has its own id and exit code") {
  CHECK(queued("4_2").exit_code == 2);
  CHECK(queued("4_0").exit_code == 0);
  for (const auto& job : slurm::parse_queue(recorded("squeue.txt"))) {
    CHECK(job.is_task == job.id.starts_with("4_"));
    CHECK(job.whole == job.id.substr(0, job.id.find('_')));
  }
}

TEST_CASE("a comment may contain vertical bars") {
  CHECK(slurm::parse_queue("1|RUNNING|0|0|None|5|6|n1|1|N/A|a|b|\n").at(0).comment == "a|b|");
}

TEST_CASE("lines that are not jobs are skipped") {
  CHECK(slurm::parse_queue("").empty());
  CHECK(slurm::parse_queue("slurm_load_jobs error\n\n1|RUNNING\n").empty());
  CHECK(slurm::parse_books("7|FAILED\n").empty());
}

TEST_CASE("every state of SLURM is mapped to a job state") {
  const std::map<std::string, JobState> states{
      {"PENDING", JobState::Queued},       {"CONFIGURING", JobState::Queued},
      {"REQUEUED", JobState::Queued},      {"REQUEUE_FED", JobState::Queued},
      {"REQUEUE_HOLD", JobState::Queued},  {"RESV_DEL_HOLD", JobState::Queued},
      {"SPECIAL_EXIT", JobState::Queued},  {"POWER_UP_NODE", JobState::Queued},
      {"EXPEDITING", JobState::Queued},    {"RUNNING", JobState::Running},
      {"COMPLETING", JobState::Running},   {"STAGE_OUT", JobState::Running},
      {"SIGNALING", JobState::Running},    {"RESIZING", JobState::Running},
      {"STOPPED", JobState::Running},      {"SUSPENDED", JobState::Running},
      {"UPDATE_DB", JobState::Running},    {"COMPLETED", JobState::Done},
      {"FAILED", JobState::Failed},        {"BOOT_FAIL", JobState::NodeFailed},
      {"NODE_FAIL", JobState::NodeFailed}, {"LAUNCH_FAILED", JobState::NodeFailed},
      {"TIMEOUT", JobState::TimedOut},     {"RECONFIG_FAIL", JobState::NodeFailed},
      {"DEADLINE", JobState::TimedOut},    {"OUT_OF_MEMORY", JobState::OutOfMemory},
      {"PREEMPTED", JobState::Preempted},  {"CANCELLED", JobState::Cancelled},
      {"REVOKED", JobState::Cancelled}};
  for (const auto& [word, state] : states) {
    INFO(word);
    CHECK(slurm::state_of(word) == state);
  }
  CHECK(slurm::state_of("CANCELLED by 1000") == JobState::Cancelled);
  CHECK(slurm::state_of("CANCELLED+") == JobState::Cancelled);
  CHECK(slurm::state_of("NEW_IN_30") == JobState::Running);
}

TEST_CASE("intermediate states are shown as the reason") {
  CHECK(one_line("1|COMPLETING|0|0|None|5|6|n1|1|N/A|x|").reason == "COMPLETING");
  CHECK(one_line("1|PENDING|0|0|Resources|N/A|N/A||1|N/A|x|").reason == "Resources");
}

TEST_CASE("an out-of-memory job is recognised by its state, reason or code") {
  CHECK(one_line("1|OUT_OF_MEMORY|125|0|OutOfMemory|5|6|n|1|N/A||").state == JobState::OutOfMemory);
  CHECK(one_line("1|FAILED|9|0|OutOfMemory|5|6|n|1|N/A||").state == JobState::OutOfMemory);
  CHECK(one_line("1|FAILED|9|0|OutOfMemory|5|6|n|1|N/A||").signal == 9);
  CHECK(one_line("1|FAILED|9|0|None|5|6|n|1|N/A||").state == JobState::Failed);
  CHECK(one_line("1|FAILED|256|253|None|5|6|n|1|N/A||").state == JobState::OutOfMemory);
  CHECK(one_line("1|COMPLETED|0|253|None|5|6|n|1|N/A||").state == JobState::Done);
  CHECK(booked("7|OUT_OF_MEMORY|0:125|0:0|5|6|n").state == JobState::OutOfMemory);
  CHECK(booked("7|OUT_OF_MEMORY|0:125|0:0|5|6|n").signal == 0);
  CHECK(booked("7|FAILED|1:0|0:125|5|6|n").state == JobState::OutOfMemory);
  CHECK(booked("7|FAILED|1:0|0:9|5|6|n").state == JobState::Failed);
}

TEST_CASE("the accounting contains jobs that have left the queue") {
  const auto books = slurm::parse_books(recorded("sacct.txt"));
  CHECK(books.at("2").exit_code == 3);
  CHECK(books.at("3").signal == 11);
  CHECK(books.at("10").state == JobState::OutOfMemory);
  CHECK(books.at("5").state == JobState::Cancelled);
  CHECK(books.at("5").reason == "CANCELLED by 0");
  CHECK(books.at("5").ended_at == 1795286811);
  CHECK(books.at("4_2").exit_code == 2);
  CHECK(books.at("7").nodes.empty());
  CHECK(books.at("9").nodes.size() == 2);
  CHECK_FALSE(books.contains("4"));
}

TEST_CASE("lines of arrays that are not yet split are skipped") {
  CHECK(slurm::parse_books("11_[2-3]|PENDING|0:0|0:0|Unknown|Unknown|None assigned\n").empty());
}

TEST_CASE("an exit code that is missing in the accounting is unknown") {
  const JobStatus lost = booked("7|NODE_FAIL|||5|6|n1");
  CHECK(lost.state == JobState::NodeFailed);
  CHECK_FALSE(lost.exit_code.has_value());
}

TEST_CASE("the usage of a job combines the usage of its steps") {
  const auto usage = slurm::parse_usage(recorded("sacct-usage.txt"));
  CHECK(usage.at("1").elapsed_s == 1);
  CHECK(usage.at("1").cpu_s == Approx(0.010));
  CHECK(usage.at("1").peak_memory_bytes == 11124736);
  CHECK_FALSE(usage.at("7").peak_memory_bytes.has_value());
  CHECK(usage.at("4_1").peak_memory_bytes == 3604480);
}

TEST_CASE("memory is the memory of a task times the tasks per node") {
  const auto usage = slurm::parse_usage(
      "7|3600|1-02:03:04.5|||3\n7.batch|3600|00:01:00|500|1|1\n7.0|3600|26:00|1000|8|3\n");
  CHECK(usage.at("7").peak_memory_bytes == 3000);
  CHECK(usage.at("7").cpu_s == Approx(86400 + 2 * 3600 + 3 * 60 + 4.5));
}

TEST_CASE("a job is found by a word of its comment unless it was rejected") {
  const std::string text =
      "5|COMPLETED|n1|other\n6|FAILED|None assigned|tok1\n8_0|FAILED|n1|site tok1\n";
  CHECK(slurm::find_comment(text, "tok1") == "8");
  CHECK(slurm::find_comment(text, "tok2").empty());
}

TEST_CASE("the job id is read from sbatch output with or without a cluster name") {
  CHECK(slurm::submitted_id("123\n") == "123");
  CHECK(slurm::submitted_id("a site's greeting\n123;jupiter\n") == "123");
  CHECK(slurm::submitted_id("Submitted batch job\n").empty());
}

TEST_CASE("array tasks are requested in ranges") {
  CHECK(slurm::array_option({3, 0, 1, 7, 2}, 2) == "--array=0-3,7%2");
  CHECK(slurm::array_option({5}, 0) == "--array=5");
}

TEST_CASE("dependencies are added to the dependency of the script") {
  const std::string chained = "#!/bin/bash\n#SBATCH --dependency=singleton\ntrue\n";
  CHECK(slurm::dependency_option(chained, {"1", "2"}) == "--dependency=singleton,afterany:1:2");
  CHECK(slurm::dependency_option("#!/bin/bash\n", {"1"}) == "--dependency=afterany:1");
}

TEST_CASE("task ids are reduced to distinct array ids") {
  CHECK(slurm::whole_jobs({"4_1", "2", "4_0"}) == SlurmNames{"2", "4"});
}

TEST_CASE("lists of hosts are expanded") {
  CHECK(slurm::hosts_in("a[01-03,7],b,c[1-2]x") ==
        SlurmNames{"a01", "a02", "a03", "a7", "b", "c1x", "c2x"});
  CHECK(slurm::hosts_in("r[1-2]n[1,3]") == SlurmNames{"r1n1", "r1n3", "r2n1", "r2n3"});
  CHECK(slurm::hosts_in("").empty());
  CHECK(slurm::hosts_in("broken[1-") == SlurmNames{"broken[1-"});
}

TEST_CASE("connection errors are distinguished from rejections") {
  for (const char* text :
       {"sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect "
        "failure)",
        "Unexpected message received for job 1",
        "sbatch: error: resolve_ctls_from_dns_srv: res_nsearch error: Unknown host",
        "sbatch: fatal: Unable to establish configuration source",
        "sbatch: error: _fetch_child: failed: Unable to contact a controller",
        "squeue: error: Socket timed out on send/recv "
        "operation"}) {
    CHECK(slurm::says_unreachable(text));
  }
  CHECK_FALSE(slurm::says_unreachable("sbatch: error: Invalid partition name specified"));
}

TEST_CASE("a limit on the number of jobs is distinguished from limits on their size") {
  const std::string failed =
      "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit "
      "limit, user's size and/or time limits)\n";
  CHECK(slurm::says_too_many("sbatch: error: QOSMaxSubmitJobPerUserLimit\n" + failed));
  CHECK(slurm::says_too_many("sbatch: error: AssocMaxSubmitJobLimit\n" + failed));
  CHECK(slurm::says_too_many(failed));
  CHECK_FALSE(slurm::says_too_many("sbatch: error: QOSMaxWallDurationPerJobLimit\n" + failed));
  CHECK_FALSE(slurm::says_too_many("sbatch: error: AssocMaxNodePerJobLimit\n" + failed));
  CHECK_FALSE(slurm::says_too_many("sbatch: error: Invalid partition name specified"));
}

TEST_CASE("errors about SLURM jobs that have already ended are ignored") {
  CHECK(slurm::first_objection("Job has already finished for job 1\nslurm_suspend error: Job has "
                               "already finished\nInvalid job id specified for job 9\n")
            .empty());
  CHECK(slurm::first_objection("Invalid job id specified\nAccess/permission denied for job 2\n") ==
        "Access/permission denied for job 2");
}
