// SPDX-License-Identifier: Apache-2.0
// Tests of job scripts that get a signal before their time limit, in bash with fake programs.
#include <catch2/catch.hpp>
#include <map>

#include "tests/planner/script_bench.hpp"

using namespace dlscale;
using test::ScriptBench;

namespace {

/// Fake ranks that exit with 99 after USR1, like the trainer, and with 1 after TERM.
constexpr const char* kRanks = R"(trap 'exit 99' USR1
trap 'exit 1' TERM
touch "${0%/*}/started"
while :; do sleep 0.05; done)";
/// Fake commands that log their arguments. SLURM stops the script that requeues its job.
constexpr const char* kScancel = R"sh(echo "$*" >> "${0%/*}/scancel.asked"
kill -USR1 "$(< "${0%/*}/srun_pid")")sh";
constexpr const char* kScontrol = R"sh(echo "$*" >> "${0%/*}/scontrol.asked"
cat "${0%/*}"/plan/logs/*.end > "${0%/*}/noted_before"
kill -TERM $PPID)sh";

/// Runs the script of job 0 and signals it after the ranks have started.
test::ShellResult warned(const ScriptBench& bench, const std::string& environment = "",
                         const std::string& signal = "USR1") {
  return test::run_bash(environment + " " + bench.script() + " & while [ ! -e " +
                        (bench.dir / "started").string() + " ]; do sleep 0.05; done; sleep 0.2; " +
                        "kill -" + signal + " $!; wait $!");
}

bool asked(const ScriptBench& bench) {
  return std::filesystem::exists(bench.dir / "scontrol.asked");
}

}  // namespace

TEST_CASE("a SLURM job signals its ranks and requeues itself before its time limit") {
  ScriptBench bench;
  bench.program("mpirun", kRanks);
  bench.program("scontrol", kScontrol);
  bench.plan();
  const auto result = warned(bench, "SLURM_JOB_ID=17");
  INFO(result.out);
  CHECK(result.exit_code == 99);
  CHECK(bench.text("scontrol.asked") == "requeue 17\n");
  CHECK(bench.text("noted_before").find("\"exit_code\":99") != std::string::npos);
  REQUIRE(bench.ends().size() == 1);  // single record although SLURM stops the script
  CHECK(bench.ends()[0].exit_code == 99);
  CHECK(bench.ends()[0].reason == "got SIGUSR1");
  CHECK(bench.ends()[0].outcome == std::nullopt);
  const std::string script =
      base::read_file(bench.out.job_script(bench.planning.plan.jobs[0].name));
  CHECK(script.find("\n#SBATCH --requeue\n") != std::string::npos);
}

TEST_CASE("a failed requeue is reported and keeps the exit code") {
  ScriptBench bench;
  bench.program("mpirun", kRanks);
  bench.program("scontrol", "echo disabled >&2; exit 1");
  bench.plan();
  const auto result = warned(bench, "SLURM_JOB_ID=17");
  CHECK(result.exit_code == 99);
  CHECK(result.out.find("SLURM did not requeue this job; run dlscale submit again to continue") !=
        std::string::npos);
  CHECK(bench.ends().size() == 1);
}

TEST_CASE("a job is not requeued on OAR or on a site without requeue") {
  for (const auto& [scheduler, keys] :
       {std::pair{"slurm", "requeue = false"}, {"oar", ""}, {"oar", "requeue = true"}}) {
    ScriptBench bench;
    bench.scheduler = scheduler;
    bench.site_keys = keys;
    bench.program("mpirun", kRanks);
    bench.program("scontrol", kScontrol);
    bench.plan();
    CHECK(warned(bench, "OAR_NODEFILE=/n").exit_code == 99);
    CHECK_FALSE(asked(bench));
    const std::string script =
        base::read_file(bench.out.job_script(bench.planning.plan.jobs[0].name));
    CHECK(script.find("--requeue") == std::string::npos);
    const bool idempotent = keys == std::string("requeue = true");
    CHECK((script.find("\n#OAR -t idempotent\n") != std::string::npos) == idempotent);
  }
}

TEST_CASE("ranks started by srun are signalled by scancel, only for the task of an array") {
  for (const std::string array : {"false", "true"}) {
    ScriptBench bench;
    bench.launcher = "srun";
    bench.study.rest = "[launch]\narray = " + array;
    bench.program("srun", std::string("echo $$ > \"${0%/*}/srun_pid\"\n") + kRanks);
    bench.program("scancel", kScancel);
    bench.program("scontrol", kScontrol);
    bench.plan();
    const auto result =
        warned(bench, "SLURM_JOB_ID=17 SLURM_ARRAY_JOB_ID=17 SLURM_ARRAY_TASK_ID=1");
    INFO(result.out);
    CHECK(result.exit_code == 99);
    const std::string job = array == "true" ? "17_1" : "17";
    CHECK(bench.text("scancel.asked") == "--signal=USR1 " + job + "\n");
    CHECK(bench.text("scontrol.asked") == "requeue " + job + "\n");
  }
}

TEST_CASE("a packed job is requeued if one of its runs can be resumed") {
  ScriptBench bench;
  bench.study.matrix = "model = 'mlp'\ngpus = 1\nbatch_per_gpu = [32, 64]";
  bench.study.rest = "[launch]\npack = true";
  bench.partition_keys = "max_walltime = '10:00:00'";
  bench.program("mpirun", std::string("case ${@: -1} in *g1-b32*) exit 3 ;; esac\n") + kRanks);
  bench.program("scontrol", kScontrol);
  bench.plan();
  REQUIRE(bench.planning.plan.jobs.size() == 1);
  const auto result = warned(bench, "SLURM_JOB_ID=17");
  INFO(result.out);
  CHECK(result.exit_code == 99);
  CHECK(bench.text("scontrol.asked") == "requeue 17\n");
  std::map<std::string, int> codes;
  for (const auto& end : bench.ends()) codes[end.run_id] = end.exit_code;
  CHECK(bench.ends().size() == 2);
  CHECK(codes == std::map<std::string, int>{{bench.run_id(0), 3}, {bench.run_id(1), 99}});
}

TEST_CASE("an external trainer receives TERM for USR1 and is requeued after exit code 99") {
  for (const int code : {7, 99}) {
    ScriptBench bench;
    bench.trainer = {.command = "trap 'exit " + std::to_string(code) +
                                "' TERM; touch ../../../../started; while :; do sleep 0.05; done"};
    bench.program("scontrol", kScontrol);
    bench.plan();
    CHECK(warned(bench, "SLURM_JOB_ID=17").exit_code == code);
    CHECK(asked(bench) == (code == 99));
    REQUIRE(bench.ends().size() == 1);
    CHECK(bench.ends()[0].outcome ==
          (code == 99 ? std::nullopt : std::optional(contract::RunOutcome::TimedOut)));
  }
}

TEST_CASE("exit code 99 of an external trainer has no meaning without USR1") {
  for (const std::string pack : {"false", "true"}) {
    ScriptBench bench;
    bench.study.matrix = "model = 'mlp'\ngpus = 1\nbatch_per_gpu = [32, 64]";
    bench.study.rest = "[launch]\npack = " + pack;
    bench.trainer = {.command = "exit 99"};
    bench.program("scontrol", kScontrol);
    bench.plan();
    const auto result = test::run_bash("SLURM_JOB_ID=17 " + bench.script());
    INFO(result.out);
    CHECK(result.exit_code == 1);
    CHECK_FALSE(asked(bench));
    REQUIRE(bench.ends().size() == (pack == "true" ? 2 : 1));
    CHECK(bench.ends()[0].exit_code == 99);
    CHECK(bench.ends()[0].outcome == contract::RunOutcome::Failed);
  }
}

TEST_CASE("an external trainer that exits with 99 after TERM is cancelled") {
  ScriptBench bench;
  bench.trainer = {.command =
                       "trap 'exit 99' TERM; touch ../../../../started; while :; do sleep "
                       "0.05; done"};
  bench.program("scontrol", kScontrol);
  bench.plan();
  CHECK(warned(bench, "SLURM_JOB_ID=17", "TERM").exit_code == 1);
  CHECK_FALSE(asked(bench));
  REQUIRE(bench.ends().size() == 1);
  CHECK(bench.ends()[0].outcome == contract::RunOutcome::Cancelled);
}

TEST_CASE("TERM after USR1 does not hide that the time limit ended the run") {
  ScriptBench bench;
  bench.trainer = {.command = "trap '' TERM; touch ../../../../started; sleep 1; exit 99"};
  bench.program("scontrol", kScontrol);
  bench.plan();
  const std::string started = (bench.dir / "started").string();
  const auto result = test::run_bash(
      "SLURM_JOB_ID=17 " + bench.script() + " & while [ ! -e " + started +
      " ]; do sleep 0.05; done; sleep 0.2; kill -USR1 $!; sleep 0.2; kill -TERM $!; wait $!");
  INFO(result.out);
  CHECK(result.exit_code == 99);
  CHECK(asked(bench));
  REQUIRE(bench.ends().size() == 1);
  CHECK(bench.ends()[0].reason == "got SIGUSR1");
}

TEST_CASE("TERM stops the ranks and does not requeue the job") {
  ScriptBench bench;
  bench.program("mpirun", kRanks);
  bench.program("scontrol", kScontrol);
  bench.plan();
  CHECK(warned(bench, "SLURM_JOB_ID=17", "TERM").exit_code == 1);
  CHECK_FALSE(asked(bench));
}
