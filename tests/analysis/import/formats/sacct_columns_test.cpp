// SPDX-License-Identifier: Apache-2.0
// Tests of sacct's tables in the column orders, delimiters and forms that users request.
#include "analysis/import/formats/sacct_text.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "tests/analysis/import/formats/log_reading.hpp"

namespace dlscale::analysis {
namespace {

const LogFormat& sacct_format() {
  return base::find(log_formats(), "log format", "sacct");
}

std::vector<AccountedJob> jobs_in(const std::string& text) {
  std::vector<AccountedJob> jobs;
  for (const LogPart& part : sacct_format().parts(text)) {
    jobs.push_back(sacct_format().read_part(text, part, run_of(1, 1)).jobs.at(0));
  }
  return jobs;
}

AccountedJob job_in(const std::string& text) {
  const auto jobs = jobs_in(text);
  REQUIRE(jobs.size() == 1);
  return jobs[0];
}

const std::string kTres = "billing=8,cpu=16,gres/gpu:a100=8,gres/gpu=8,mem=64G,node=2";

}  // namespace

TEST_CASE("sacct: raw columns are read in their units") {
  const AccountedJob job =
      job_in("JobID|State|ElapsedRaw|TimelimitRaw|NNodes|AllocTRES\n101|COMPLETED|3600|120|2|" +
             kTres + "\n");
  CHECK(job.elapsed_s == 3600);
  CHECK(job.timelimit_s == 7200);
  CHECK(job.gpus == 8);
  const AccountedJob by_cpus = job_in("JobID|State|CPUTimeRAW|AllocCPUS\n1|COMPLETED|57600|16\n");
  CHECK(by_cpus.elapsed_s == 3600);
  CHECK(job_in("JobID|State|TimelimitRaw\n1|COMPLETED|UNLIMITED\n").elapsed_s !=
        job_in("JobID|State|TimelimitRaw\n1|COMPLETED|UNLIMITED\n").elapsed_s);
}

TEST_CASE("sacct: formatted columns take precedence over raw columns") {
  const AccountedJob job = job_in(
      "ElapsedRaw|Elapsed|State|JobID|SystemCPU|UserCPU\n99|01:00:00|COMPLETED|1|00:10:00|00:50:"
      "00\n");
  CHECK(job.elapsed_s == 3600);
  CHECK(job.cpu_s == 3600);
}

TEST_CASE("sacct: JobIDRaw replaces JobID, with its steps") {
  const std::string text =
      "JobIDRaw|State|Elapsed|NNodes|ReqTRES|MaxRSS\n101|COMPLETED|01:00:00|2|" + kTres +
      "|\n101.batch|COMPLETED|01:00:00|1||2048K\n";
  CHECK(sacct_format().recognises(text));
  const AccountedJob job = job_in(text);
  CHECK(job.job_id == "101");
  CHECK(job.gpus == 8);
  CHECK(job.max_memory_bytes == 2048 * 1024.0);
}

TEST_CASE("sacct: array tasks and parts of heterogeneous jobs are separate jobs") {
  const auto jobs = jobs_in(
      "JobID|JobIDRaw|State|Elapsed\n7_1|8|COMPLETED|01:00:00\n7_1.batch|8.batch|COMPLETED|01:00:"
      "00\n"
      "7_[2-9%2]|7|PENDING|00:00:00\n9+0|9|COMPLETED|00:30:00\n9+0.0|9.0|COMPLETED|00:30:00\n"
      "9+1|10|FAILED|00:30:00\n");
  REQUIRE(jobs.size() == 4);
  CHECK(jobs[0].job_id == "7_1");
  CHECK(jobs[1].job_id == "7_[2-9%2]");
  CHECK(jobs[2].job_id == "9+0");
  CHECK(jobs[3].job_id == "9+1");
}

TEST_CASE("sacct: GPUs come from the first column that has any") {
  const auto gpus = [](const std::string& columns, const std::string& cells) {
    return job_in("JobID|State|NNodes|" + columns + "\n1|COMPLETED|2|" + cells + "\n").gpus;
  };
  CHECK(gpus("AllocTRES|ReqTRES", "cpu=4,gres/gpu=2|cpu=4,gres/gpu=4") == 2);
  CHECK(gpus("AllocTRES|ReqGRES", "cpu=4,node=2|gpu:4") == 8);  // a site without GPU accounting
  CHECK(gpus("ReqTRES", "cpu=4,gres/gpu:h100=4") == 4);
  CHECK(gpus("AllocTRES", "cpu=4,node=2") == 0);
  CHECK_FALSE(gpus("AllocTRES", ""));
}

TEST_CASE("sacct: GPUs per node and per task are multiplied, and unknown forms are reported") {
  const auto gpus = [](const std::string& gres, const std::string& nodes = "2") {
    const std::string text =
        "JobID|State|NNodes|NTasks|ReqGRES\n1|COMPLETED|" + nodes + "|6|" + gres + "\n";
    return job_in(text).gpus;
  };
  for (const char* gres : {"gpu:4", "PER_NODE:gpu:4", "gres:gpu:4", "gres/gpu:4", "gres/gpu=4",
                           "gpu:a100:4(S:0-1)", "gpu:a100:4(S:0,1)", "gpu:a100:2,gpu:v100:2",
                           "PER_NODE:gres:gpu:a100:4", "PER_JOB:gpu:8"}) {
    INFO(gres);
    CHECK(gpus(gres) == 8);
  }
  CHECK(gpus("gpu") == 2);
  CHECK(gpus("gpu:a100") == 2);
  CHECK(gpus("PER_TASK:gpu:1") == 6);
  CHECK(gpus("craynetwork:1") == 0);
  CHECK_FALSE(gpus("PER_SOCKET:gpu:4"));
  CHECK_FALSE(gpus("gpu:a100:many"));
  CHECK_FALSE(gpus("gpu:4", ""));
  const LogContent log =
      read_log("sacct", "JobID|State|NNodes|ReqGRES\n1|COMPLETED|2|PER_SOCKET:gpu:4\n");
  REQUIRE(log.file.skipped.size() == 1);
  CHECK(log.file.skipped[0] ==
        "line 2: the GPUs of \"PER_SOCKET:gpu:4\" cannot be counted: its format is unknown");
}

TEST_CASE("sacct: the node list gives the number of nodes if no column does") {
  CHECK(sacct::nodes_in("gpu[01-02]") == 2);
  CHECK(sacct::nodes_in("gpu[01-02,07],login1") == 4);
  CHECK(sacct::nodes_in("rack[1-2]n[01-08]") == 16);
  CHECK(sacct::nodes_in("n1") == 1);
  for (const char* list : {"", "None assigned", "None", "n[1-", "n[2-1]", "n[a-b]"}) {
    INFO(list);
    CHECK_FALSE(sacct::nodes_in(list));
  }
  const AccountedJob job = job_in("JobID|State|AllocGRES|NodeList\n1|COMPLETED|gpu:4|gpu[01-02]\n");
  CHECK(job.nodes == 2);
  CHECK(job.gpus == 8);
}

TEST_CASE("sacct: large counts have a unit of 1024") {
  CHECK(sacct::count("2K") == 2048);
  CHECK(sacct::count("1.50K") == 1536);
  CHECK(sacct::count("16") == 16);
  for (const char* text : {"", "K", "1.37K", "-2", "2X"}) {
    INFO(text);
    CHECK_FALSE(sacct::count(text));
  }
  CHECK(job_in("JobID|State|NNodes|ReqGRES\n1|COMPLETED|2K|gpu:4\n").gpus == 8192);
}

TEST_CASE("sacct: memory of a whole node has no byte count, and core hours give the elapsed time") {
  CHECK(std::isnan(job_in("JobID|State|NNodes|ReqMem\n1|COMPLETED|2|0n\n").requested_memory_bytes));
  CHECK(job_in("JobID|State|CPUTimeRAW|NCPUS\n1|COMPLETED|57600|16\n").elapsed_s == 3600);
  CHECK(job_in("JobID|State|CPUTime|AllocTRES\n1|COMPLETED|16:00:00|cpu=16\n").elapsed_s == 3600);
  CHECK(std::isnan(job_in("JobID|State|CPUTimeRAW|ReqCPUS\n1|COMPLETED|57600|16\n").elapsed_s));
}

TEST_CASE("sacct: another heading in a file gives the columns of the following rows") {
  const auto jobs = jobs_in(
      "JobID|Elapsed|Timelimit|State\n1|01:00:00|02:00:00|COMPLETED\n"
      "JobID|Timelimit|Elapsed|State\n2|1-00:00:00|01:00:00|COMPLETED\n"
      "State,JobID,ElapsedRaw\nFAILED,3,60\n");
  REQUIRE(jobs.size() == 3);
  CHECK(jobs[0].timelimit_s == 7200);
  CHECK(jobs[1].elapsed_s == 3600);
  CHECK(jobs[1].timelimit_s == 86400);
  CHECK(jobs[2].elapsed_s == 60);
}

TEST_CASE("sacct: rows of one attempt share a number, and another start is another attempt") {
  const std::string text =
      "JobID|State|Submit|Start\n1|PENDING|2026-01-01T00:00:00|Unknown\n"
      "1|RUNNING|2026-01-01T00:00:00|2026-01-01T01:00:00\n"
      "1|NODE_FAIL|2026-01-01T00:00:00|2026-01-01T01:00:00\n"
      "1|COMPLETED|2026-01-01T00:00:00|2026-01-01T05:00:00\n";
  const auto parts = sacct_format().parts(text);
  REQUIRE(parts.size() == 4);
  CHECK_FALSE(parts[1].which.contains("attempt"));
  CHECK_FALSE(parts[2].which.contains("attempt"));
  CHECK(parts[3].which.at("attempt") == "2");
}

TEST_CASE("sacct: node and core counts come from the resources if no column has them") {
  const AccountedJob job = job_in("JobID|State|AllocTRES\n1|COMPLETED|" + kTres + "\n");
  CHECK(job.nodes == 2);
  CHECK(job.cpus == 16);
  CHECK(job_in("JobID|State|ReqCPUS\n1|COMPLETED|4\n").cpus == 4);
}

TEST_CASE("sacct: memory and energy are read with and without units") {
  CHECK(sacct::memory("236638208", sacct::kByte)->bytes == 236638208);
  CHECK(sacct::memory("62.50G", sacct::kByte)->bytes == 62.5 * (1 << 30));
  CHECK(sacct::energy("1.50M") == 1.5e6);
  CHECK(sacct::energy("532") == 532);
  CHECK_FALSE(sacct::energy("532J"));
  const AccountedJob job = job_in(
      "JobID|State|ConsumedEnergy|MaxRSS\n1|COMPLETED|1.50M|\n1.0|COMPLETED|1.40M|1048576\n");
  CHECK(job.energy_j == 1.5e6);
  CHECK(job.max_memory_bytes == 1048576);
}

TEST_CASE("sacct: unknown times are empty") {
  const AccountedJob job = job_in(
      "JobID|State|Submit|Start|End\n1|CANCELLED by 1000|2024-05-01T10:00:00|None|Unknown\n");
  CHECK(job.submitted == "2024-05-01T10:00:00");
  CHECK(job.started.empty());
  CHECK(job.ended.empty());
  CHECK(job.state == "CANCELLED by 1000");
}

TEST_CASE("sacct: a delimiter in a job's name belongs to the name, also in the first line") {
  const std::string head = "JobID|JobName|Partition|State|Elapsed|AllocTRES|NodeList\n";
  const std::string rest = "|gpu|COMPLETED|01:00:00|" + kTres + "|gpu[01-02]\n";
  const auto jobs =
      jobs_in(head + "101|lr=0.1|wd=0" + rest + "102|a|b|c|d" + rest + "103|train" + rest);
  REQUIRE(jobs.size() == 3);
  CHECK(jobs[0].name == "lr=0.1|wd=0");
  CHECK(jobs[0].gpus == 8);
  CHECK(jobs[0].line == 2);
  CHECK(jobs[1].name == "a|b|c|d");
  CHECK(jobs[2].name == "train");
}

TEST_CASE("sacct: a line with an ambiguous delimiter is reported") {
  const std::string text =
      "JobID|JobName|Comment|State\n101|a|b|c|COMPLETED\n102|train||COMPLETED\n";
  const auto parts = sacct_format().parts(text);
  REQUIRE(parts.size() == 1);
  const LogContent log = sacct_format().read_part(text, parts[0], run_of(1, 1));
  REQUIRE(log.file.skipped.size() == 1);
  CHECK(log.file.skipped[0] ==
        "line 2: has 5 instead of 4 columns, and a \"|\" inside a text could belong to several "
        "columns");
  CHECK(log.jobs.at(0).line == 3);
}

TEST_CASE("sacct: any delimiter of --delimiter is found in the heading") {
  for (const std::string delimiter : {"|", ";", ",", "\t", "^", "||", ":::"}) {
    INFO(delimiter);
    const auto line = [&](const std::vector<std::string>& cells) {
      std::string text;
      for (const std::string& cell : cells) text += (text.empty() ? "" : delimiter) + cell;
      return text + "\n";
    };
    const std::string text =
        line({"JobID", "JobName", "State", "ElapsedRaw", "AllocTRES", "NodeList"}) +
        line({"101", "train", "COMPLETED", "3600", kTres, "gpu[01,03]"}) +
        line({"102", "train", "FAILED", "60", kTres, "gpu01"});
    CHECK(sacct_format().recognises(text));
    const auto jobs = jobs_in(text);
    REQUIRE(jobs.size() == 2);
    CHECK(jobs[0].gpus == 8);
    CHECK(jobs[0].hosts == "gpu[01,03]");
    CHECK(jobs[1].elapsed_s == 60);
  }
}

TEST_CASE("sacct: tables of other programs are not recognised") {
  for (const char* text : {"JobID,State,Loss\n1,COMPLETED,2\n", "state,id\nCOMPLETED,1\n",
                           "epoch|loss\n1|2\n", "JobID\n1\n"}) {
    INFO(text);
    CHECK_FALSE(sacct_format().recognises(text));
  }
}

TEST_CASE("sacct: a padded table and JSON are reported with the option that helps") {
  const std::string padded =
      "       JobID    JobName  Partition    Account  AllocCPUS      State ExitCode \n"
      "------------ ---------- ---------- ---------- ---------- ---------- -------- \n"
      "101               train        gpu       proj         16  COMPLETED      0:0 \n";
  const std::string json =
      "{\n  \"jobs\": [\n    {\"account\": \"a\", \"allocation_nodes\": 1, \"job_id\": 7}\n  "
      "]\n}\n";
  for (const std::string& text : {padded, json}) {
    CHECK(sacct_format().recognises(text));
    const LogContent log = read_log("sacct", text);
    REQUIRE(log.file.skipped.size() == 1);
    CHECK(log.file.skipped[0].find("--parsable2") != std::string::npos);
    CHECK(log.jobs.empty());
  }
}

}  // namespace dlscale::analysis
