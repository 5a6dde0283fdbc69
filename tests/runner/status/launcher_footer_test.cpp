// SPDX-License-Identifier: Apache-2.0
// Tests of the reason of failed external runs whose launcher wrote a report after the error of the
// program. The outputs have the form that the named launchers wrote for small failing programs.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>

#include "base/file.hpp"
#include "runner/status/failure_words.hpp"
#include "runner/status/run_end.hpp"
#include "tests/runner/written_plan.hpp"

using namespace dlscale;
using contract::RunOutcome;

namespace {

constexpr const char* kMissingScript =
    "/opt/env/bin/python3: can't open file '/plan/runs/a-1/launch-1/train.py': [Errno 2] No such "
    "file or directory\n";
constexpr const char* kMissingScriptReason =
    "/opt/env/bin/python3: can't open file '/plan/runs/a-1/launch-1/train.py': [Errno 2] No such "
    "file or directory";

/// First lines of torchrun, before the program starts.
constexpr const char* kTorchrunHead =
    "W1128 07:33:03.443000 27629 torch/distributed/run.py:982] \n"
    "W1128 07:33:03.443000 27629 torch/distributed/run.py:982] *****************************\n"
    "W1128 07:33:03.443000 27629 torch/distributed/run.py:982] Setting OMP_NUM_THREADS environment "
    "variable for each process to be 1 in default, to avoid your system being overloaded, please "
    "further tune the variable for optimal performance in your application as needed. \n"
    "W1128 07:33:03.443000 27629 torch/distributed/run.py:982] *****************************\n";

/// Report of torchrun about ranks that ended with an exit code.
constexpr const char* kTorchrunReport =
    "E1128 07:33:03.759000 27629 torch/distributed/elastic/multiprocessing/api.py:1002] failed "
    "(exitcode: 1) local_rank: 0 (pid: 27635) of binary: /opt/env/bin/python3\n"
    "Traceback (most recent call last):\n"
    "  File \"/opt/env/bin/torchrun\", line 8, in <module>\n"
    "    sys.exit(main())\n"
    "             ^^^^^^\n"
    "  File \"/opt/env/lib/torch/distributed/launcher/api.py\", line 386, in launch_agent\n"
    "    raise ChildFailedError(\n"
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
    "============================================================\n"
    "train.py FAILED\n"
    "------------------------------------------------------------\n"
    "Failures:\n"
    "[1]:\n"
    "  time      : 2026-11-28_07:33:03\n"
    "  host      : node1\n"
    "  rank      : 1 (local_rank: 1)\n"
    "  exitcode  : 1 (pid: 27636) \n"
    "  error_file: <N/A>\n"
    "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html\n"
    "------------------------------------------------------------\n"
    "Root Cause (first observed failure):\n"
    "[0]:\n"
    "  time      : 2026-11-28_07:33:03\n"
    "  host      : node1\n"
    "  rank      : 0 (local_rank: 0)\n"
    "  exitcode  : 1 (pid: 27635) \n"
    "  error_file: <N/A>\n"
    "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html\n"
    "============================================================\n";

/// Report of torchrun about a rank whose main function has the decorator "record". The output of
/// the rank itself is in another file.
constexpr const char* kTorchrunRecorded =
    "E1128 07:33:13.779000 27664 torch/distributed/elastic/multiprocessing/api.py:1002] failed "
    "(exitcode: 1) local_rank: 1 (pid: 27671) of binary: /opt/env/bin/python3\n"
    "E1128 07:33:13.784000 27664 torch/distributed/elastic/multiprocessing/errors/"
    "error_handler.py:194] no error file defined for parent, to copy child error file "
    "(/tmp/torchelastic_t/attempt_0/1/error.json)\n"
    "Traceback (most recent call last):\n"
    "  File \"/opt/env/bin/torchrun\", line 8, in <module>\n"
    "    sys.exit(main())\n"
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
    "============================================================\n"
    "train.py FAILED\n"
    "------------------------------------------------------------\n"
    "Failures:\n"
    "  <NO_OTHER_FAILURES>\n"
    "------------------------------------------------------------\n"
    "Root Cause (first observed failure):\n"
    "[0]:\n"
    "  time      : 2026-11-28_07:33:13\n"
    "  host      : node1\n"
    "  rank      : 1 (local_rank: 1)\n"
    "  exitcode  : 1 (pid: 27671) \n"
    "  error_file: /tmp/torchelastic_t/attempt_0/1/error.json\n"
    "  traceback : Traceback (most recent call last):\n"
    "    File \"/opt/env/lib/torch/distributed/elastic/multiprocessing/errors/__init__.py\", line "
    "384, in wrapper\n"
    "      result = f(*args, **kwargs)\n"
    "    File \"/home/u/train.py\", line 4, in main\n"
    "      raise ValueError(\"label 1000 is out of range\")\n"
    "  ValueError: label 1000 is out of range\n"
    "  \n"
    "============================================================\n";

constexpr const char* kMpirunReport =
    "--------------------------------------------------------------------------\n"
    "Primary job  terminated normally, but 1 process returned\n"
    "a non-zero exit code. Per user-direction, the job has been aborted.\n"
    "--------------------------------------------------------------------------\n"
    "--------------------------------------------------------------------------\n"
    "mpirun detected that one or more processes exited with non-zero status, thus causing\n"
    "the job to be terminated. The first process to do so was:\n"
    "\n"
    "  Process name: [[163,1],1]\n"
    "  Exit code:    1\n"
    "--------------------------------------------------------------------------\n";

constexpr const char* kSrunReport =
    "srun: error: node1: task 0: Exited with exit code 2\n"
    "srun: Terminating StepId=4711.0\n"
    "slurmstepd: error: *** STEP 4711.0 ON node1 CANCELLED AT 2026-04-29T23:36:37 DUE TO TASK "
    "FAILURE ***\n"
    "srun: error: node1: tasks 1-3: Terminated\n"
    "srun: Force Terminated StepId=4711.0\n";

constexpr const char* kAccelerateReport =
    "Traceback (most recent call last):\n"
    "  File \"/opt/env/bin/accelerate\", line 8, in <module>\n"
    "    sys.exit(main())\n"
    "  File \"/opt/env/lib/accelerate/commands/launch.py\", line 999, in simple_launcher\n"
    "    raise subprocess.CalledProcessError(returncode=process.returncode, cmd=cmd)\n"
    "subprocess.CalledProcessError: Command '['/opt/env/bin/python3', 'train.py']' returned "
    "non-zero exit status 1.\n";

constexpr const char* kDeepSpeedReport =
    "[2026-11-28 08:32:07,148] [INFO] [launch.py:319:sigkill_handler] Killing subprocess 250621\n"
    "[2026-11-28 08:32:07,153] [ERROR] [launch.py:325:sigkill_handler] ['/usr/bin/python3', '-u', "
    "'train.py', '--local_rank=1'] exits with return code = 1\n";

/// Traceback of a program that uses the library rich.
constexpr const char* kRichTraceback =
    "╭───────────────────── Traceback (most recent call last) ──────────────────────╮\n"
    "│ /home/u/train.py:57 in main                                                  │\n"
    "│ ❱  57     trainer.fit()  # raises an error                                   │\n"
    "╰──────────────────────────────────────────────────────────────────────────────╯\n"
    "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x512 and 2048x10)\n"
    "╭───────────────────── Traceback (most recent call last) ──────────────────────╮\n"
    "│ /opt/env/lib/torch/distributed/launcher/api.py:245 in launch_agent           │\n"
    "│ ❱ 245 │   │   │   raise ChildFailedError(                                    │\n"
    "╰──────────────────────────────────────────────────────────────────────────────╯\n"
    "ChildFailedError: \n";

std::string raised(const std::string& exception) {
  return "Traceback (most recent call last):\n  File \"/home/u/train.py\", line 9, in <module>\n"
         "    main()\n" +
         exception + "\n";
}

/// Returns how an external run ended that left these texts and exit code 1.
runner::RunEnd end_of(const std::string& err, const std::string& out = "") {
  test::WrittenPlan written({"a"});
  written.plan.runs[0].log_format = "timm";
  const auto launch = written.write_launch("run-a", 110);
  base::write_file_atomically(launch.err(), err);
  base::write_file_atomically(launch.out(), out);
  return judge_run(written.folder, written.plan.runs[0],
                   {"a", "t1", 0, {runner::JobState::Failed, 1, 0, ""}});
}

struct FailedOutput {
  const char* name;
  std::string err;
  std::string reason;
};

}  // namespace

TEST_CASE("the error of the program is the reason, not the report of its launcher") {
  const std::string args = "usage: train.py [-h] [--lr LR]\n";
  for (const FailedOutput& output : {
           FailedOutput{
               "torchrun, missing script",
               std::string(kTorchrunHead) + kMissingScript + kMissingScript + kTorchrunReport,
               kMissingScriptReason},
           FailedOutput{
               "torchrun, wrong argument",
               args + "train.py: error: unrecognized arguments: --depth 3\n" + kTorchrunReport,
               "train.py: error: unrecognized arguments: --depth 3"},
           FailedOutput{"torchrun, syntax error",
                        "  File \"/home/u/train.py\", line 1\n    def main(\n            ^\n"
                        "SyntaxError: '(' was never closed\n" +
                            std::string(kTorchrunReport),
                        "SyntaxError: '(' was never closed"},
           FailedOutput{"torchrun, recorded", kTorchrunRecorded,
                        "ValueError: label 1000 is out of range"},
           FailedOutput{
               "torchrun, boxed traceback", std::string(kRichTraceback) + kTorchrunReport,
               "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x512 and 2048x10)"},
           FailedOutput{"mpirun, module",
                        raised("ModuleNotFoundError: No module named 'horovod'") + kMpirunReport,
                        "ModuleNotFoundError: No module named 'horovod'; environment_setup under "
                        "[trainer] prepares the environment of jobs "
                        "(docs/your-script.md#environment)"},
           FailedOutput{
               "mpirun with tags",
               "[1,1]<stderr>:python: can't open file 'train.py': [Errno 2] No such file or "
               "directory\n" +
                   std::string(kMpirunReport),
               "python: can't open file 'train.py': [Errno 2] No such file or directory"},
           FailedOutput{"srun", kMissingScript + std::string(kSrunReport), kMissingScriptReason},
           FailedOutput{"srun, command",
                        "bash: line 1: trian.py: command not found\n" + std::string(kSrunReport),
                        "bash: line 1: trian.py: command not found"},
           FailedOutput{"accelerate",
                        raised("FileNotFoundError: [Errno 2] no x.bin") + kAccelerateReport,
                        "FileNotFoundError: [Errno 2] no x.bin"},
           FailedOutput{
               "DeepSpeed",
               raised("AssertionError: Micro batch size per gpu: 0 has to be greater than 0") +
                   kDeepSpeedReport,
               "AssertionError: Micro batch size per gpu: 0 has to be greater than 0"},
       }) {
    INFO(output.name);
    const runner::RunEnd end = end_of(output.err, "epoch 0 loss 3.2\n");
    CHECK(end.reason == output.reason);
    CHECK(end.outcome == RunOutcome::Failed);
  }
}

TEST_CASE("memory errors before the report of a launcher give the outcome OutOfMemory") {
  for (const char* footer : {kTorchrunReport, kMpirunReport, kSrunReport, kAccelerateReport}) {
    const auto end = end_of(raised("torch.OutOfMemoryError: CUDA out of memory. Tried") + footer);
    CHECK(end.outcome == RunOutcome::OutOfMemory);
    CHECK(end.reason == "torch.OutOfMemoryError: CUDA out of memory. Tried");
  }
}

TEST_CASE("words that are not a known error come before the report of the launcher") {
  const std::string words = "the learning rate 12 is too high";
  for (const auto& [footer, report] : std::vector<std::pair<const char*, std::string>>{
           {kTorchrunReport, "rank 0 ended with exit code 1"},
           {kMpirunReport, "Exit code:    1"},
           {kSrunReport, "srun: error: node1: task 0: Exited with exit code 2"},
           {kDeepSpeedReport, "exits with return code = 1"}}) {
    const runner::RunEnd end = end_of(kTorchrunHead + words + "\n" + footer);
    CHECK(end.reason == words + "; " + report);
  }
  CHECK(end_of(words + "\n" + kAccelerateReport).reason.starts_with(words + "; subprocess.Called"));
}

TEST_CASE("without words on stderr the last output of the program is part of the reason") {
  const std::string head = kTorchrunHead;
  CHECK(end_of(head + kTorchrunReport, "epoch 0 loss 3.2\n").reason ==
        "rank 0 ended with exit code 1; last output: epoch 0 loss 3.2");
  const auto end = end_of(head + kTorchrunReport,
                          "epoch 0 loss 3.2\nERROR: the data set /data/x has no images\n");
  CHECK(end.reason == "ERROR: the data set /data/x has no images; rank 0 ended with exit code 1");
  CHECK(end.details.filename() == "stdout");
  CHECK(end_of(kMpirunReport).reason == "Exit code:    1");
}

TEST_CASE("the signal that ended a rank of torchrun and the last output are the reason") {
  const auto report = [](int code) {
    return fmt::format(
        "E1128 07:33:13.7 27664 torch/distributed/elastic/multiprocessing/api.py:1002"
        "] failed (exitcode: {0}) local_rank: 1 (pid: 455) of binary: /env/python3\n"
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
        "============================================================\n"
        "Root Cause (first observed failure):\n"
        "  rank      : 5 (local_rank: 1)\n  exitcode  : {0} (pid: 455)\n"
        "============================================================\n",
        code);
  };
  CHECK(end_of(report(-6), "epoch 3\n").reason ==
        "rank 5 was aborted by SIGABRT; last output: "
        "epoch 3");
  CHECK(end_of(kTorchrunHead + report(-11)).reason == "rank 5 was killed by SIGSEGV");
  CHECK(end_of("slow loader\n" + report(-9)).reason ==
        "rank 5 was killed by SIGKILL; last output: slow loader");
  CHECK(end_of("slow loader\nERROR: no data\n" + report(-9), "epoch 3\n").reason ==
        "ERROR: no data; rank 5 was killed by SIGKILL");
  CHECK(end_of(report(-40)).reason == "rank 5 was killed by signal 40");
  CHECK(end_of(report(3), "epoch 3\n").reason ==
        "rank 5 ended with exit code 3; last output: "
        "epoch 3");
}

TEST_CASE("without a launcher the last words of the program precede the exit code") {
  CHECK(end_of("", "ERROR: data not found\n").reason == "ERROR: data not found; exit code 1");
  CHECK(end_of("", "epoch 3\n").reason == "exit code 1; last output: epoch 3");
  CHECK(end_of("the learning rate is too high\n", "epoch 3\n").reason ==
        "the learning rate is too high; exit code 1");
  const std::string warning =
      "/home/u/train.py:9: UserWarning: slow loader\n  warnings.warn('slow loader')\n";
  CHECK(end_of(warning, "ERROR: data not found\n").reason == "ERROR: data not found; exit code 1");
  CHECK(end_of(warning, "epoch 3\n").reason == "exit code 1; last output: epoch 3");
  CHECK(end_of("", "").reason == "exit code 1");
}

TEST_CASE("the last own line skips launchers, tracebacks and progress bars") {
  using runner::last_own_line;
  CHECK(last_own_line("[rank0]: out of luck\n" + std::string(kMpirunReport)) == "out of luck");
  CHECK(last_own_line("no data\n 12%|█▏  | 1/8 [00:01<00:07,  1.0it/s]\n") == "no data");
  CHECK(last_own_line("Loading\r 50 %\r100 % loaded\r\n") == "100 % loaded");
  CHECK(last_own_line(raised("ValueError: bad")).empty());
  CHECK(last_own_line(kRichTraceback) ==
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x512 and 2048x10)");
  CHECK(last_own_line("a table of the program\n--------------------------\n1 2 3\n"
                      "--------------------------\n") == "1 2 3");
  CHECK(last_own_line("").empty());
}
