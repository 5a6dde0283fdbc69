// SPDX-License-Identifier: Apache-2.0
// Tests of the reason found in logs of failed runs from programs, launchers, batch systems and
// kernels.
#include "runner/status/failure_words.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using dlscale::contract::RunOutcome;
using dlscale::runner::Certainty;
using dlscale::runner::FailureWords;
using dlscale::runner::find_failure;

namespace {

struct Failure {
  const char* name;
  const char* log;
  const char* reason;
  std::optional<RunOutcome> outcome = {};
};

constexpr auto kMemory = RunOutcome::OutOfMemory;

/// Output of srun when it stops the other ranks.
constexpr const char* kSrunEnds =
    "srun: error: node1: task 1: Exited with exit code 1\n"
    "srun: launch/slurm: _step_signal: Terminating StepId=1.0\n"
    "slurmstepd-node1: error: *** STEP 1.0 ON node1 CANCELLED AT 2026-01-01T09:48:12 ***\n"
    "srun: error: node1: task 0: Terminated\n"
    "srun: Force Terminated StepId=1.0\n";

constexpr const char* kTorchrunEnds =
    "W0505 21:53:43.022187 2314 torch/distributed/elastic/multiprocessing/api.py:858] Sending "
    "process "
    "1488970 closing signal SIGTERM\n"
    "E0505 21:53:43.596518 2314 torch/distributed/elastic/multiprocessing/api.py:833] failed "
    "(exitcode: 1) local_rank: 5 (pid: 1488969) of binary: /usr/bin/python\n"
    "Traceback (most recent call last):\n"
    "  File \"/usr/bin/torchrun\", line 8, in <module>\n"
    "    sys.exit(main())\n"
    "    raise ChildFailedError(\n"
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
    "============================================================\n"
    "train.py FAILED\n"
    "------------------------------------------------------------\n"
    "Failures:\n"
    "  <NO_OTHER_FAILURES>\n"
    "------------------------------------------------------------\n"
    "Root Cause (first observed failure):\n"
    "[0]:\n"
    "  time      : 2025-05-21_15:43:03\n"
    "  host      : node1\n"
    "  rank      : 5 (local_rank: 5)\n"
    "  exitcode  : 1 (pid: 1488969)\n"
    "  error_file: <N/A>\n"
    "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html\n"
    "============================================================\n";

constexpr const char* kMpirunEnds =
    "--------------------------------------------------------------------------\n"
    "Primary job  terminated normally, but 1 process returned\n"
    "a non-zero exit code. Per user-direction, the job has been aborted.\n"
    "--------------------------------------------------------------------------\n"
    "--------------------------------------------------------------------------\n"
    "mpirun detected that one or more processes exited with non-zero status, thus causing\n"
    "the job to be terminated. The first process to do so was:\n"
    "\n"
    "  Process name: [[26234,1],0]\n"
    "  Exit code:    1\n"
    "--------------------------------------------------------------------------\n";

constexpr const char* kHydraEnds =
    "===================================================================================\n"
    "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n"
    "=   RANK 6 PID 2447372 RUNNING AT node0009\n"
    "=   EXIT CODE: 1\n"
    "=   CLEANING UP REMAINING PROCESSES\n"
    "=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES\n"
    "===================================================================================\n";

constexpr const char* kNcclOfOthers =
    "Traceback (most recent call last):\n"
    "  File \"train.py\", line 9, in <module>\n"
    "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1970, remote process "
    "exited or there was a network error, NCCL version 2.18.6\n"
    "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting.\n";

const char* const kEndings[] = {"",          kSrunEnds,  kTorchrunEnds,
                                kMpirunEnds, kHydraEnds, kNcclOfOthers};

/// Errors of programs, which are followed by launcher output.
const Failure kOfPrograms[] = {
    {"PyTorch 2.5, GPU memory",
     "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
     "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.", kMemory},
    {"PyTorch 2.0, GPU memory", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried",
     "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried", kMemory},
    {"PyTorch 1, GPU memory",
     "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 7.80 GiB)",
     "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 7.80 GiB)", kMemory},
    {"PyTorch 0.4, GPU memory",
     "RuntimeError: cuda runtime error (2) : out of memory at THCTensorRandom.cu:25",
     "RuntimeError: cuda runtime error (2) : out of memory at THCTensorRandom.cu:25", kMemory},
    {"CUDA, GPU memory", "RuntimeError: CUDA error: out of memory",
     "RuntimeError: CUDA error: out of memory", kMemory},
    {"ROCm, GPU memory", "torch.OutOfMemoryError: HIP out of memory. Tried",
     "torch.OutOfMemoryError: HIP out of memory. Tried", kMemory},
    {"NCCL, GPU memory", "n1:7:9 [0] misc/alloc.h:12 NCCL WARN Cuda failure 'out of memory'",
     "Cuda failure 'out of memory'", kMemory},
    {"JAX, GPU memory",
     "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to "
     "allocate 8 bytes.",
     "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to "
     "allocate 8 bytes.",
     kMemory},
    {"TensorFlow, GPU memory",
     "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor",
     "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor",
     kMemory},
    {"MXNet, GPU memory", "mxnet.base.MXNetError: [09:01:02] src: cudaMalloc failed: out of memory",
     "mxnet.base.MXNetError: [09:01:02] src: cudaMalloc failed: out of memory", kMemory},
    {"host memory, PyTorch",
     "RuntimeError: [enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't "
     "allocate "
     "memory: you tried to allocate 8 bytes.",
     "RuntimeError: [enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't "
     "allocate "
     "memory: you tried to allocate 8 bytes.",
     kMemory},
    {"host memory, Python", "MemoryError", "MemoryError", kMemory},
    {"host memory, NumPy", "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 8 GiB",
     "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 8 GiB", kMemory},
    {"host memory, C++",
     "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc",
     "terminate called after throwing an instance of 'std::bad_alloc'", kMemory},
    {"host memory, fork", "OSError: [Errno 12] Cannot allocate memory",
     "OSError: [Errno 12] Cannot allocate memory", kMemory},
    {"missing data", "FileNotFoundError: [Errno 2] No such file or directory: '/data/train'",
     "FileNotFoundError: [Errno 2] No such file or directory: '/data/train'"},
    {"missing program", "python: can't open file 'train.py': [Errno 2] No such file or directory",
     "python: can't open file 'train.py': [Errno 2] No such file or directory"},
    {"missing module", "ModuleNotFoundError: No module named 'apex'",
     "ModuleNotFoundError: No module named 'apex'"},
    {"missing library",
     "python: error while loading shared libraries: libcudart.so.12: cannot open "
     "shared object file: No such file or directory",
     "python: error while loading shared libraries: libcudart.so.12: cannot open shared object "
     "file: No such file or directory"},
    {"full disk", "OSError: [Errno 28] No space left on device",
     "OSError: [Errno 28] No space left on device"},
    {"refused by argparse",
     "usage: train.py [-h] [--lr LR]\ntrain.py: error: unrecognized arguments: "
     "--foo",
     "train.py: error: unrecognized arguments: --foo"},
    {"refused by dlscale-train", "dlscale-train: a.json: gpus: is 3",
     "dlscale-train: a.json: gpus: is 3"},
    {"an assertion", "AssertionError: batch size must be divisible by 8",
     "AssertionError: batch size must be divisible by 8"},
    {"a program's own exception", "mylib.errors.BadConfigException: no optimizer",
     "mylib.errors.BadConfigException: no optimizer"},
    {"an illegal access", "RuntimeError: CUDA error: an illegal memory access was encountered",
     "RuntimeError: CUDA error: an illegal memory access was encountered"},
    {"an exception of C++, libc++",
     "libc++abi: terminating due to uncaught exception of type std::runtime_error: bad shape",
     "terminating due to uncaught exception of type std::runtime_error: bad shape"},
    {"an assertion of C", "train: net.cpp:7: int main(): Assertion `n > 0' failed.",
     "train: net.cpp:7: int main(): Assertion `n > 0' failed."},
    {"a check of glog", "F0102 10:00:00.000001 7 net.cc:7] Check failed: n > 0 (0 vs. 0)",
     "Check failed: n > 0 (0 vs. 0)"},
    {"a CUDA error of C++", "CUDA error: no kernel image is available for execution",
     "CUDA error: no kernel image is available for execution"},
    {"a NCCL error of C++", "Failed: NCCL error train.cu:42 'unhandled system error'",
     "Failed: NCCL error train.cu:42 'unhandled system error'"},
    {"a crash, C library", "double free or corruption (out)", "double free or corruption (out)"},
    {"a crash", "Fatal Python error: Segmentation fault", "Fatal Python error: Segmentation fault"},
    {"a crash, UCX", "[node1:7 :0:7] Caught signal 11 (Segmentation fault: address not mapped)",
     "Caught signal 11 (Segmentation fault: address not mapped)"},
};

/// Uncaught exceptions of C++, which are followed by launcher output.
const Failure kOfCpp[] = {
    {"an exception of C++",
     "terminate called after throwing an instance of 'std::runtime_error'\n  what():  bad shape",
     "std::runtime_error: bad shape"},
    {"an exception of C++ with a known message",
     "terminate called after throwing an instance of 'std::system_error'\n"
     "  what():  x.bin: No such file or directory",
     "std::system_error: x.bin: No such file or directory"},
    {"GPU memory, C++",
     "terminate called after throwing an instance of 'c10::Error'\n"
     "  what():  CUDA error: out of memory",
     "CUDA error: out of memory", kMemory},
};

/// Complete logs.
const Failure kLogs[] = {
    {"kernel and srun",
     "epoch 1: loss 6.9\n"
     "slurmstepd: error: Detected 1 oom_kill event in StepId=1.0. Some of the step tasks have "
     "been "
     "OOM Killed.\nsrun: error: node1: task 1: Out Of Memory\nsrun: Terminating StepId=1.0\n"
     "slurmstepd: error: *** STEP 1.0 ON node1 CANCELLED AT 2026-01-01T19:35:36 ***\n",
     "slurmstepd: error: Detected 1 oom_kill event in StepId=1.0. Some of the step tasks have "
     "been "
     "OOM Killed.",
     kMemory},
    {"SLURM 20",
     "slurmstepd: error: Detected 2 oom-kill event(s) in step 7.0 cgroup. Some of your "
     "processes may have been killed by the cgroup out-of-memory handler.\n"
     "srun: error: n1: tasks 0-3: Killed\n",
     "slurmstepd: error: Detected 2 oom-kill event(s) in step 7.0 cgroup. Some of your processes "
     "may "
     "have been killed by the cgroup out-of-memory handler.",
     kMemory},
    {"SLURM 18", "slurmstepd: error: Exceeded step memory limit at some point.\n",
     "slurmstepd: error: Exceeded step memory limit at some point.", kMemory},
    {"srun alone", "srun: error: gpu001: task 0: Out Of Memory\n",
     "srun: error: gpu001: task 0: Out Of Memory", kMemory},
    {"kernel log",
     "[ 123.45] Memory cgroup out of memory: Killed process 123 (python) "
     "total-vm:8kB\nKilled\n",
     "Memory cgroup out of memory: Killed process 123 (python) total-vm:8kB", kMemory},
    {"kernel log, no cgroup", "[1.2] Out of memory: Killed process 7 (python) total-vm:8kB\n",
     "Out of memory: Killed process 7 (python) total-vm:8kB", kMemory},
    {"time limit",
     "epoch 9\nslurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T01:00:00 DUE TO "
     "TIME LIMIT ***\n",
     "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T01:00:00 DUE TO TIME LIMIT ***",
     RunOutcome::TimedOut},
    {"preemption",
     "slurmstepd: error: *** STEP 7.0 ON n1 CANCELLED AT 2026-01-01T01:00:00 DUE TO "
     "PREEMPTION ***\nsrun: Job step aborted: Waiting up to 32 seconds for job step to finish.\n",
     "slurmstepd: error: *** STEP 7.0 ON n1 CANCELLED AT 2026-01-01T01:00:00 DUE TO PREEMPTION "
     "***",
     RunOutcome::Preempted},
    {"node failure", "srun: error: Node failure on n3\nsrun: Job step aborted\n",
     "srun: error: Node failure on n3", RunOutcome::NodeFailed},
    {"NCCL time-out",
     "[rank0]:[E1206 18:44:12.71 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective "
     "operation timeout: WorkNCCL(SeqNum=7753) ran for 600061 milliseconds before timing out.\n"
     "[rank0]:[E1206 18:44:12.72 ProcessGroupNCCL.cpp:621] [Rank 0] Some NCCL operations have "
     "failed "
     "or timed out.\nterminate called after throwing an instance of 'c10::DistBackendError'\n"
     "srun: error: n1: task 0: Aborted (core dumped)\n",
     "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7753) ran for 600061 "
     "milliseconds "
     "before timing out."},
    {"a missing file, while others time out",
     "[rank3]: FileNotFoundError: [Errno 2] No such file or directory: 'x'\n"
     "[rank0]:[E1206 18:44:12.71 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective "
     "operation timeout: WorkNCCL(SeqNum=7753) ran for 600061 milliseconds before timing out.\n",
     "FileNotFoundError: [Errno 2] No such file or directory: 'x'"},
    {"tracebacks of several ranks", "[rank2]: ValueError: first\n[rank0]: RuntimeError: second\n",
     "ValueError: first"},
    {"behind labels of srun",
     "1: Traceback (most recent call last):\n1: KeyError: 'lr'\n0: waiting\n", "KeyError: 'lr'"},
    {"torchrun, a rank that aborted",
     "[rank1]: terminate called after throwing an instance of 'my::Error'\n"
     "[rank0]: epoch 1\n[rank1]:   what():  index 7 is too large\n"
     "E0325 20:57:27.62 2606 api.py:869] failed (exitcode: -6) local_rank: 1 (pid: 2630) of "
     "binary: python\n  exitcode  : -6 (pid: 2630)\n"
     "  traceback : Signal 6 (SIGABRT) received by PID 2630\n",
     "my::Error: index 7 is too large"},
    {"torchrun, a rank that aborted without a message",
     "terminate called without an active exception\n"
     "E0325 20:57:27.62 2606 api.py:869] failed (exitcode: -6) local_rank: 1 (pid: 2630) of "
     "binary: python\n",
     "terminate called without an active exception"},
    {"a crash, and the exception of a rank that lost it",
     "Fatal Python error: Segmentation fault\n"
     "terminate called after throwing an instance of 'c10::DistBackendError'\n"
     "  what():  [Rank 0] NCCL communicator was aborted\n",
     "Fatal Python error: Segmentation fault"},
    {"a line of environment_setup that fails",
     "/p/jobs/a.sh: line 12: venv/bin/activate: No such file or directory\n"
     "a: trainer.environment_setup: \"source venv/bin/activate\" ended with exit code 1\n",
     "venv/bin/activate: No such file or directory; trainer.environment_setup: \"source "
     "venv/bin/activate\" ended with exit code 1"},
    {"torchrun, a killed rank",
     "E0325 20:57:27.62 2606 api.py:869] failed (exitcode: -9) local_rank: 5 (pid: 2630) of "
     "binary: "
     "python\n  exitcode  : -9 (pid: 14750)\n  traceback : Signal 9 (SIGKILL) received by PID "
     "14750\n",
     "local rank 5 was killed by SIGKILL"},
    {"mpirun, a killed rank",
     "--------\nmpirun noticed that process rank 1 with PID 7 on node n1 exited on signal 9 "
     "(Killed).\n--------\n",
     "mpirun noticed that process rank 1 with PID 7 on node n1 exited on signal 9 (Killed)."},
    {"prterun, a killed rank",
     "prterun noticed that process rank 1 with PID 7 on node n1 exited on\nsignal 9 "
     "(Killed).\n----\n",
     "prterun noticed that process rank 1 with PID 7 on node n1 exited on signal 9 (Killed)."},
    {"Hydra, a killed rank",
     "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   RANK 6 PID 24 RUNNING AT n9\n"
     "=   KILLED BY SIGNAL: 9 (Killed)\n=====\n",
     "KILLED BY SIGNAL: 9 (Killed)"},
    {"DeepSpeed, a killed rank",
     "[2024-01-01 10:00:00,1] [INFO] [launch.py:315:sigkill_handler] Killing subprocess 7\n"
     "[2024-01-01 10:00:00,1] [ERROR] [launch.py:321:sigkill_handler] ['python'] exits with "
     "return "
     "code = -9\n",
     "exits with return code = -9"},
    {"a killed worker of a loader",
     "RuntimeError: DataLoader worker (pid 12) is killed by signal: Killed. \n",
     "RuntimeError: DataLoader worker (pid 12) is killed by signal: Killed."},
    {"bash", "/var/spool/job: line 30:  1234 Killed                  python train.py\n",
     "/var/spool/job: line 30:  1234 Killed                  python train.py"},
    {"srun, a crash", "srun: error: n1: task 3: Segmentation fault (core dumped)\n",
     "srun: error: n1: task 3: Segmentation fault (core dumped)"},
    {"PRTE", "loss 6.9\n[n1:7] PRTE ERROR: Not found in file base/x.c at line 3\n",
     "PRTE ERROR: Not found in file base/x.c at line 3"},
    {"only launchers",
     "epoch 1\nsrun: error: n1: task 1: Exited with exit code 1\nsrun: Terminating "
     "StepId=1.0\n",
     "srun: error: n1: task 1: Exited with exit code 1"},
    {"only a lost peer",
     "epoch 1\n[rank1]: RuntimeError: [../gloo/pair.cc:598] Connection closed by peer "
     "[10.0.0.1]:9\n",
     "RuntimeError: [../gloo/pair.cc:598] Connection closed by peer [10.0.0.1]:9"},
    {"Hydra, the signal behind the exit code",
     "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   EXIT CODE: 9\n"
     "=   CLEANING UP REMAINING PROCESSES\n=====\n"
     "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\n",
     "EXIT STRING: Killed (signal 9)"},
    {"Hydra, stopped by another rank",
     "=   EXIT CODE: 15\nYOUR APPLICATION TERMINATED WITH THE EXIT STRING: Terminated (signal "
     "15)\n",
     "EXIT CODE: 15"},
    {"mpirun, too few slots",
     "-----\nThere are not enough slots available in the system to satisfy the 4\n"
     "slots that were requested by the application:\n\n  python\n\nEither request fewer slots\n",
     "There are not enough slots available in the system to satisfy the 4 slots that were "
     "requested "
     "by the application"},
    {"mpirun, no such program",
     "-----\nmpirun was unable to find the specified executable file, and therefore\n"
     "did not launch the job.  This error was first reported for process\nrank 0; it may have\n",
     "mpirun was unable to find the specified executable file, and therefore did not launch the "
     "job"},
    {"mpirun, binding",
     "A request was made to bind to that would result in binding more\n"
     "processes than cpus on a resource:\n\n   Bind to:         CORE\n\n"
     "You can override this protection by adding the \"overload-allowed\"\noption.\n",
     "A request was made to bind to that would result in binding more processes than cpus on a "
     "resource"},
    {"a GPU that fell off the bus",
     "[ 512.1] NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n"
     "srun: error: node1: task 1: Aborted (core dumped)\n",
     "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus."},
    {"a GPU whose memory failed",
     "kernel: NVRM: Xid (PCI:0000:3b:00): 48, pid=1, An uncorrectable double bit error\n"
     "Traceback (most recent call last):\n  File \"a.py\"\nRuntimeError: CUDA error: unknown "
     "error\n",
     "NVRM: Xid (PCI:0000:3b:00): 48, pid=1, An uncorrectable double bit error"},
    {"a GPU error of the program",
     "NVRM: Xid (PCI:0000:3b:00): 31, pid=1, MMU Fault\nsrun: error: node1: task 1: Aborted\n",
     "NVRM: Xid (PCI:0000:3b:00): 31, pid=1, MMU Fault"},
    {"a rank that waits at a barrier, and the one that failed",
     "[rank0]: RuntimeError: Rank 0 successfully reached monitoredBarrier, but received errors "
     "while "
     "waiting for send/recv from rank 1.\n[rank1]: ValueError: bad label 1000\n",
     "ValueError: bad label 1000"},
    {"locked memory",
     "node1:77:99 [0] misc/ibvwrap.cc:262 NCCL WARN Call to ibv_reg_mr failed with error Cannot "
     "allocate memory\nTraceback (most recent call last):\n  File \"a.py\"\n"
     "torch.distributed.DistBackendError: NCCL error in: x, unhandled system error\n",
     "ibv_reg_mr failed with error Cannot allocate memory (the limit of locked memory, ulimit -l, "
     "is "
     "too low)"},
    {"MXNet",
     "mxnet.base.MXNetError: [10:00:00] src/storage/x.h:161: cudaMalloc retry failed: out of "
     "memory\n",
     "mxnet.base.MXNetError: [10:00:00] src/storage/x.h:161: cudaMalloc retry failed: out of "
     "memory",
     kMemory},
    {"cuDNN", "RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED\n",
     "RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED", kMemory},
    {"only what follows", "epoch 1\nsrun: Force Terminated StepId=1.0\n", "epoch 1"},
    {"nothing but that", "srun: Force Terminated StepId=1.0\n",
     "srun: Force Terminated StepId=1.0"},
};

}  // namespace

TEST_CASE("the error of the program is the reason, regardless of later launcher output") {
  const std::string trace =
      "Traceback (most recent call last):\n  File \"train.py\", line 3\n    main()\n";
  for (const Failure& failure : kOfPrograms) {
    for (const char* ending : kEndings) {
      INFO(failure.name << ", then\n" << ending);
      const FailureWords words =
          find_failure("epoch 1: loss 6.9\n" + trace + failure.log + "\n" + ending);
      CHECK(words.reason == failure.reason);
      CHECK(words.outcome == failure.outcome);
    }
  }
}

TEST_CASE("the message of an uncaught C++ exception is the reason, with its type") {
  for (const Failure& failure : kOfCpp) {
    for (const char* ending : kEndings) {
      INFO(failure.name << ", then\n" << ending);
      const std::string log =
          std::string(failure.log) + "\nException raised from f (first call)\n" + ending;
      const FailureWords words = find_failure("epoch 1: loss 6.9\n" + log);
      CHECK(words.reason == failure.reason);
      CHECK(words.outcome == failure.outcome);
    }
  }
}

TEST_CASE("the reason is found in complete logs of failed runs") {
  for (const Failure& failure : kLogs) {
    INFO(failure.name);
    const FailureWords words = find_failure(failure.log);
    CHECK(words.reason == failure.reason);
    CHECK(words.outcome == failure.outcome);
  }
}

TEST_CASE("an out-of-memory error is found after every launcher prefix") {
  for (const char* prefix :
       {"[1,0]<stderr>:", "[prterun-n1-7@1,0]<stderr>: ", "0: ", "[default0]:", "[rank0]: ",
        "[default0]:[rank0]: ", "node12: ", "[0] ", "2024-01-01T10:00:00Z "}) {
    INFO(prefix);
    const FailureWords words =
        find_failure(std::string(prefix) + "torch.OutOfMemoryError: CUDA out of memory. Tried\n");
    CHECK(words.reason == "torch.OutOfMemoryError: CUDA out of memory. Tried");
    CHECK(words.outcome == kMemory);
  }
}

TEST_CASE("a memory warning is not a failure") {
  for (const char* line :
       {"Warning: this may run out of memory", "hint: lower the batch to avoid OOM kill",
        "loading 0 files could take long"}) {
    INFO(line);
    const FailureWords words = find_failure(std::string(line) + "\nValueError: bad\n");
    CHECK(words.reason == "ValueError: bad");
    CHECK_FALSE(find_failure(std::string(line) + "\n").outcome.has_value());
  }
}

TEST_CASE("an error that the program survived is not the reason") {
  std::string log = "RuntimeError: CUDA out of memory. Retrying with batch 32\n";
  for (int i = 0; i < 1000; ++i) log += "epoch 1 step " + std::to_string(i) + "\n";
  CHECK(find_failure(log + "ValueError: bad\n").reason == "ValueError: bad");
}

TEST_CASE("an error that the program reports as handled is not the reason") {
  const std::string end =
      "Traceback (most recent call last):\n  File \"train.py\", line 40, in <module>\n"
      "KeyError: 'val_acc'\n";
  for (const char* line :
       {"torch.OutOfMemoryError caught, falling back to batch size 16: CUDA out of memory. Tried",
        "[W1] CUDA out of memory in benchmark of cudnn algorithm, trying another one",
        "Warning: caught CUDA out of memory, retrying with batch 32",
        "| WARNING: ran out of memory, skipping batch",
        "OSError: image file is truncated (5 bytes not processed) -- skipped sample 17",
        "W tensorflow: Allocator ran out of memory. The caller indicates that this is not a "
        "failure",
        "RuntimeError: CUDA out of memory. Retrying with batch 32"}) {
    INFO(line);
    CHECK(find_failure(std::string(line) + "\n" + end).reason == "KeyError: 'val_acc'");
    CHECK_FALSE(find_failure(std::string(line) + "\n").outcome.has_value());
    CHECK(find_failure(std::string(line) + "\nsrun: error: n1: task 1: Killed\n").reason ==
          "srun: error: n1: task 1: Killed");
  }
}

TEST_CASE("a fatal out-of-memory error is the reason, also with exceptions of other ranks") {
  const std::string rank1 =
      "[rank1]: Traceback (most recent call last):\n[rank1]:   File \"train.py\", line 4\n"
      "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB\n";
  const std::string rank0 =
      "epoch 1 step 7 loss 2.0\n[rank0]: Traceback (most recent call last):\n"
      "[rank0]:   File \"train.py\", line 9\n[rank0]: RuntimeError: a tensor is missing\n";
  CHECK(find_failure(rank1 + rank0).outcome == kMemory);
  const std::string replica =
      "Traceback (most recent call last):\n  File \"train.py\", line 4\n"
      "torch.cuda.OutOfMemoryError: Caught OutOfMemoryError in replica 0 on device 0.\n";
  CHECK(find_failure(replica).outcome == kMemory);
  const std::string killed =
      "Out of memory: Killed process 7 (python) total-vm:9kB\nepoch 1 loss 2\n";
  CHECK(find_failure(killed + "Traceback (most recent call last):\n  File \"a.py\"\nKeyError: 1\n")
            .outcome == kMemory);
}

TEST_CASE("an error followed by further epochs and a final exception is not the reason") {
  const std::string caught =
      "ERROR:root:a sample failed\nTraceback (most recent call last):\n  File \"data.py\", line 4\n"
      "RuntimeError: CUDA out of memory. Tried to allocate 2 GiB\n";
  const std::string end =
      "Traceback (most recent call last):\n  File \"train.py\", line 9\nValueError: bad\n";
  CHECK(find_failure(caught + "Epoch 1 done\n" + end).reason == "ValueError: bad");
  CHECK(find_failure(caught + end).outcome == kMemory);
}

TEST_CASE("the final exception takes precedence over harmless errors") {
  const std::string end =
      "Epoch 1 done\nTraceback (most recent call last):\n  File \"train.py\", line 40, in "
      "<module>\n"
      "RuntimeError: shapes differ\nsrun: error: node1: task 0: Exited with exit code 1\n";
  for (
      const char* early :
      {"2023-03-01 10:00:00.123456: W tensorflow/x/dso_loader.cc:64] Could not load dynamic "
       "library "
       "'libnvinfer.so.7'; dlerror: libnvinfer.so.7: cannot open shared object file: No such file "
       "or directory",
       "/var/spool/slurmd/job4711/slurm_script: line 12: module: command not found",
       "bash: nvidia-smi: command not found",
       "WARNING: no checkpoint at runs/ckpt: No such file or directory",
       "Exception ignored in: <function _Iter.__del__ at 0x7f>\nTraceback (most recent call "
       "last):\n"
       "  File \"dataloader.py\", line 1466, in __del__\n"
       "AssertionError: can only test a child process",
       "--- Logging error ---\nTraceback (most recent call last):\n  File \"handlers.py\", line 7\n"
       "OSError: [Errno 28] No space left on device\nCall stack:\n  File \"a.py\"\nMessage: 'x'"}) {
    INFO(early);
    CHECK(find_failure(std::string(early) + "\n" + end).reason == "RuntimeError: shapes differ");
  }
  CHECK(find_failure("x.sh: line 1: module: command not found\nsrun: error: n1: task 1: Killed\n")
            .reason == "srun: error: n1: task 1: Killed");
}

TEST_CASE("exceptions with any name are found, also after a launcher prefix") {
  for (const char* exception :
       {"subprocess.TimeoutExpired: Command '['nvidia-smi']' timed out after 10 seconds",
        "mylib.StopTraining: validation set is empty", "queue.Empty", "StopIteration",
        "socket.gaierror: [Errno -2] Name or service not known"}) {
    for (const std::string prefix : {"", "[rank0]: ", "0: ", "[1,0]<stderr>:"}) {
      INFO(prefix << exception);
      const std::string log = prefix + "Traceback (most recent call last):\n" + prefix +
                              "  File \"train.py\", line 3, in <module>\n" + prefix + exception +
                              "\nsrun: error: node1: task 0: Exited with exit code 1\n";
      const FailureWords words = find_failure(log);
      CHECK(words.certainty == Certainty::exception);
      CHECK(words.reason.ends_with(exception));
    }
  }
}

TEST_CASE("without a known error the last meaningful line is the reason") {
  CHECK(find_failure("first\n  the end\r\n-------\n\n").reason == "the end");
  CHECK(find_failure("no end of line").reason == "no end of line");
  CHECK(find_failure("\n---\n").reason.empty());
  CHECK(find_failure("").certainty == Certainty::none);
  CHECK(find_failure(std::string(200000, 'x') + "\nlast\n").reason == "last");
  CHECK(find_failure(std::string(1000, 'y')).reason.size() == 300);
  CHECK(find_failure("dlscale-train: a warning\nslurmstepd: killed\n").reason ==
        "slurmstepd: killed");
  CHECK(find_failure(std::string("a line\n") + kMpirunEnds).reason == "Exit code:    1");
}
