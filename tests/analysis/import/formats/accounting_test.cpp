// SPDX-License-Identifier: Apache-2.0
// Tests of jobs in the accounting of batch systems (sacct, oarstat).
#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/import/formats/sacct_text.hpp"
#include "tests/analysis/import/formats/log_reading.hpp"
#include "tests/analysis/import/formats/log_samples.hpp"

namespace dlscale::analysis {
namespace {

using contract::RunOutcome;
using contract::RunStop;

std::string sample(const std::string& format) {
  for (const LogSample& one : log_samples()) {
    if (one.format == format) return one.text;
  }
  throw base::UsageError("no sample of " + format);
}

const LogFormat& format_of(const char* name) {
  return base::find(log_formats(), "log format", name);
}

/// Returns the jobs in a text, each with the record of its end.
std::vector<std::pair<AccountedJob, RunStop>> jobs_of(const char* name, const std::string& text) {
  std::vector<std::pair<AccountedJob, RunStop>> jobs;
  for (const LogPart& part : format_of(name).parts(text)) {
    const LogContent log = format_of(name).read_part(text, part, run_of(1, 1));
    jobs.emplace_back(log.jobs.at(0), all<RunStop>(log.file).at(0));
  }
  return jobs;
}

}  // namespace

TEST_CASE("sacct: times and memory are read in all forms that sacct writes") {
  CHECK(sacct::duration("10-13:27:06") == 912426);
  CHECK(sacct::duration("00:15.5") == 15.5);
  CHECK_FALSE(sacct::duration("UNLIMITED"));
  CHECK_FALSE(sacct::duration("90"));
  CHECK(sacct::memory("62.50G")->bytes == 62.5 * (1 << 30));
  CHECK(sacct::memory("3000Mc")->each == 'c');
  CHECK(sacct::memory("512")->bytes == 512 * 1048576.0);
  CHECK_FALSE(sacct::memory("lots"));
  CHECK(*sacct::clock_time("2026-03-01T00:00:00") - *sacct::clock_time("2026-02-28T00:00:00") ==
        86400);
  CHECK_FALSE(sacct::clock_time("Unknown"));
  CHECK(sacct::gpus_of("billing=12,gres/gpu:a100=2,gres/gpu:h100=1,node=1") == 3);
  CHECK(sacct::gpus_of("billing=12,gres/gpu:a100=2,gres/gpu=2") == 2);
  CHECK(sacct::gpus_of("cpu=1") == 0);
  CHECK_FALSE(sacct::gpus_of(""));
}

TEST_CASE("sacct: memory per core is unknown if the number of cores is unknown") {
  const std::string head = "JobID|State|Start|End|Elapsed|ReqMem";
  const std::string rest = "|COMPLETED|2026-03-01T00:00:00|2026-03-01T01:00:00|01:00:00|3000Mc";
  const auto unknown = jobs_of("sacct", head + "\n7" + rest + "\n");
  REQUIRE(unknown.size() == 1);
  CHECK(std::isnan(unknown[0].first.requested_memory_bytes));
  const auto known = jobs_of("sacct", head + "|AllocCPUS\n7" + rest + "|2\n");
  REQUIRE(known.size() == 1);
  CHECK(known[0].first.requested_memory_bytes == 2 * 3000 * 1048576.0);
}

TEST_CASE("sacct: a job is a run, and its steps give its memory peak") {
  const auto jobs = jobs_of("sacct", sample("sacct"));
  REQUIRE(jobs.size() == 3);
  const AccountedJob& job = jobs[0].first;
  CHECK(job.job_id == "41");
  CHECK(job.name == "train");
  CHECK(job.elapsed_s == 3600);
  CHECK(job.nodes == 2);
  CHECK(job.cpus == 16);
  CHECK(job.gpus == 8);
  CHECK(job.cpu_s == 37815);
  CHECK(job.requested_memory_bytes == 8000 * 1048576.0);
  CHECK(job.max_memory_bytes == 231092 * 1024.0);
  CHECK(job.line == 2);
  CHECK(jobs[0].second.outcome == RunOutcome::Completed);
  CHECK(jobs[0].second.wall_s == 3600);
}

TEST_CASE("sacct: a job without an energy of its own has the energy of its largest step") {
  const auto energy = [](const std::string& own, const std::string& tres) {
    return jobs_of("sacct", "JobID|State|ConsumedEnergyRaw|AllocTRES\n7|COMPLETED|" + own + "|" +
                                tres +
                                "\n7.batch|COMPLETED|900|\n7.extern|COMPLETED|1000|\n"
                                "7.0|COMPLETED|800|\n")
        .at(0)
        .first.energy_j;
  };
  CHECK(energy("950", "cpu=1") == 950);  // the job states its own energy
  CHECK(energy("", "cpu=1,energy=1100,node=1") == 1100);
  CHECK(energy("0", "cpu=1") == 1000);
  CHECK(energy("18446744073709551614", "cpu=1,energy=18446744073709551614") == 1000);
  const auto none = jobs_of("sacct", "JobID|State|ConsumedEnergyRaw\n7|COMPLETED|0\n7.0|FAILED|\n");
  CHECK(std::isnan(none.at(0).first.energy_j));
}

TEST_CASE("sacct: the state of a job gives its outcome") {
  const auto jobs = jobs_of("sacct", sample("sacct"));
  REQUIRE(jobs.size() == 3);
  CHECK(jobs[1].second.outcome == RunOutcome::TimedOut);
  CHECK(jobs[1].second.reason == "TIMEOUT");
  CHECK(jobs[1].first.exit_code == 1);
  CHECK_FALSE(jobs[1].first.gpus);
  CHECK(jobs[1].first.requested_memory_bytes == 8 * 3000 * 1048576.0);
  CHECK(jobs[2].second.outcome == RunOutcome::Cancelled);
  CHECK(jobs[2].second.reason == "CANCELLED by 1300204");
  CHECK(jobs[2].first.gpus == 0);
  const std::string heading = "JobID|State|ExitCode|Elapsed\n";
  const auto other = jobs_of("sacct", heading + "1|OUT_OF_MEMORY|0:125|00:01:00|\n" +
                                          "2|RUNNING|0:0|00:01:00|\n3|FAILED|3:0|00:00:01|\n");
  REQUIRE(other.size() == 3);
  CHECK(other[0].second.outcome == RunOutcome::OutOfMemory);
  CHECK(other[1].second.outcome == RunOutcome::Lost);
  CHECK(other[1].second.reason ==
        "the job had not ended when the accounting data was read; its "
        "state was RUNNING");
  CHECK(other[2].second.reason == "FAILED, exit code 3");
}

TEST_CASE("sacct: without a heading columns are in Open XDMoD's order, and requeued jobs differ") {
  const std::string row =
      "7|7|hpc|gpu|qos|a|g|1|u|2|2026-01-29T10:00:00|2026-01-29T10:00:00|2026-01-29T11:00:00|"
      "2026-01-29T12:00:00|01:00:00|0:0|COMPLETED|1|12|12|31000Mn|cpu=12,node=1|"
      "billing=12,cpu=12,gres/gpu=2,mem=31000M,node=1|1-00:00:00|n1|name\n";
  CHECK(format_of("sacct").recognises(row));
  const auto jobs = jobs_of("sacct", row + row);
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[1].first.gpus == 2);
  CHECK(jobs[1].first.cluster == "hpc");
  CHECK_FALSE(format_of("sacct").parts(row + row)[1].which.contains("attempt"));
  std::string requeued = row;
  requeued.replace(requeued.find("T11:00:00"), 9, "T11:30:00");
  CHECK(format_of("sacct").parts(row + requeued)[1].which.at("attempt") == "2");
}

TEST_CASE("sacct: an impossible time is reported, and a row with an unknown state is skipped") {
  const std::string heading = "JobID|State|Elapsed|Start|End\n";
  const LogContent log = read_log("sacct", heading +
                                               "1|COMPLETED|05:00:00|2026-01-29T10:00:00|"
                                               "2026-01-29T11:00:00\n2|DREAMING|1|1|1\n");
  CHECK(log.file.skipped ==
        std::vector<std::string>{
            "line 2: the elapsed time of 18000 s exceeds the 3600 s from the start to the end of "
            "the job",
            "line 3: is not a job: its JobID or State is not in the format of SLURM"});
  REQUIRE(log.jobs.size() == 1);
  CHECK(std::isnan(log.jobs[0].elapsed_s));
}

TEST_CASE("oarstat: a job has the GPUs of its request and the end of its exit status and events") {
  const auto jobs = jobs_of("oarstat", sample("oarstat"));
  REQUIRE(jobs.size() == 2);
  const AccountedJob& job = jobs[0].first;
  CHECK(job.job_id == "7");
  CHECK(job.gpus == 4);
  CHECK(job.nodes == 2);
  CHECK(job.cpus == 4);
  CHECK(job.elapsed_s == 3600);
  CHECK(job.timelimit_s == 7200);
  CHECK(job.started == "2026-01-29T12:01:00Z");
  CHECK(job.hosts == "n1,n2");
  CHECK(jobs[0].second.outcome == RunOutcome::Completed);
  CHECK(jobs[1].second.outcome == RunOutcome::TimedOut);
  CHECK(jobs[1].second.reason == "WALLTIME");
  CHECK_FALSE(jobs[1].first.gpus);
}

TEST_CASE("oarstat: exit codes, signals and events distinguish failures") {
  const auto job = [](const std::string& id, const std::string& state, const std::string& code,
                      const std::string& event) {
    return "\"" + id + R"(":{"state":")" + state + R"(","exit_code":)" + code +
           R"(,"submissionTime":1,"assigned_network_address":[],"events":[{"type":")" + event +
           "\"}]}";
  };
  const auto jobs = jobs_of("oarstat", "{" + job("1", "Terminated", "768", "") + ",\n" +
                                           job("2", "Terminated", "9", "") + "," +
                                           job("3", "Error", "null", "FRAG_JOB_REQUEST") + "," +
                                           job("4", "Error", "null", "BESTEFFORT_KILL") + "," +
                                           job("5", "Error", "null", "CPUSET_ERROR") + "," +
                                           job("6", "Running", "null", "") + "}\n");
  REQUIRE(jobs.size() == 6);
  CHECK(jobs[0].second.reason == "exit code 3");
  CHECK(jobs[1].second.reason == "signal 9");
  CHECK(jobs[1].first.line == 2);
  CHECK(jobs[2].second.outcome == RunOutcome::Cancelled);
  CHECK(jobs[3].second.outcome == RunOutcome::Preempted);
  CHECK(jobs[4].second.outcome == RunOutcome::NodeFailed);
  CHECK(jobs[5].second.outcome == RunOutcome::Lost);
}

TEST_CASE("oarstat: complete jobs of a truncated document are read") {
  const std::string text = sample("oarstat");
  const std::string part = text.substr(0, text.size() - 20);
  CHECK(jobs_of("oarstat", part).size() == 1);
  CHECK(read_log("oarstat", part).file.truncated);
}

}  // namespace dlscale::analysis
