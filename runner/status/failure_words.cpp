// SPDX-License-Identifier: Apache-2.0
#include "runner/status/failure_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace dlscale::runner {

// A traceback consists of the line "Traceback (most recent call last):", indented lines about stack
// frames, and a line with the exception that is not indented. The name of an exception need not end
// in "Error". For example, the names subprocess.TimeoutExpired and KeyboardInterrupt do not end in
// "Error". The line of the exception is therefore found only by its position. Launchers put the
// same prefix in front of all lines of a rank ("[rank0]: "). The prefix separates the tracebacks of
// different ranks.

namespace {

constexpr std::string_view kBegin = "Traceback (most recent call last):";
/// Maximum number of lines of a traceback. In a longer traceback, no exception is found.
constexpr std::size_t kLongestBlock = 400;

/// Returns the prefix that the launcher put in front of each line of a traceback. Python writes
/// "Original " before the traceback of a worker process and "+ Exception Group " before a group of
/// exceptions. These texts are not part of the prefix.
std::string_view prefix_of(std::string_view line, std::size_t begin) {
  std::string_view prefix = line.substr(0, begin);
  for (const std::string_view word : {"Original ", "  + Exception Group "}) {
    if (prefix.ends_with(word)) prefix.remove_suffix(word.size());
  }
  return prefix;
}

/// Returns whether a text may be the last line of a traceback, such as "ValueError: bad",
/// "mylib.StopTraining: done" or "KeyboardInterrupt". Returns false for lines of loggers ("INFO:
/// …").
bool is_exception(std::string_view text) {
  const std::size_t end = std::min(text.find(':'), text.size());
  std::string_view name = text.substr(0, end);
  while (name.ends_with('\r')) name.remove_suffix(1);
  const bool is_name = !name.empty() && !base::is_digit(name[0]) &&
                       std::all_of(name.begin(), name.end(), [](unsigned char c) {
                         return std::isalnum(c) != 0 || c == '_' || c == '.' || c >= 0x80;
                       });
  const bool is_class =
      name.find('.') != name.npos ||
      (is_name && std::isupper(static_cast<unsigned char>(name[0])) != 0 &&
       std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c) != 0; }));
  return is_name && is_class &&
         (end == text.size() || text.substr(end + 1).empty() || text[end + 1] == ' ' ||
          text[end + 1] == '\r');
}

/// Sets `parts` for the lines of a traceback from index `from`. The line of the exception becomes
/// `last`.
void mark_block(const std::vector<std::string_view>& lines, std::size_t from,
                std::string_view prefix, std::vector<TracebackPart>& parts, TracebackPart last) {
  const bool is_ignored = last == TracebackPart::ignored;
  const std::size_t end = std::min(lines.size(), from + kLongestBlock);
  bool has_begun = !is_ignored;
  for (std::size_t i = from; i < end; ++i) {
    if (!lines[i].starts_with(prefix)) continue;
    const std::string_view text = lines[i].substr(prefix.size());
    if (text.starts_with(' ') || text.starts_with('\t')) {
      parts[i] = is_ignored ? TracebackPart::ignored : TracebackPart::frame;
    } else if (is_exception(text)) {
      parts[i] = last;
      return;
    } else if (text.find(kBegin) != text.npos) {
      if (has_begun) return;
      has_begun = true;
      parts[i] = last;
    }
  }
}

}  // namespace

std::vector<TracebackPart> traceback_parts(const std::vector<std::string_view>& lines) {
  std::vector<TracebackPart> parts(lines.size(), TracebackPart::none);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (parts[i] == TracebackPart::ignored) continue;
    for (const std::string_view mark : {"Exception ignored ", "--- Logging error ---"}) {
      const std::size_t at = lines[i].find(mark);
      if (at == lines[i].npos) continue;
      parts[i] = TracebackPart::ignored;
      mark_block(lines, i + 1, lines[i].substr(0, at), parts, TracebackPart::ignored);
    }
    const std::size_t at = lines[i].find(kBegin);
    if (parts[i] == TracebackPart::ignored || at == lines[i].npos) continue;
    mark_block(lines, i + 1, prefix_of(lines[i], at), parts, TracebackPart::exception);
  }
  return parts;
}

namespace {

using contract::RunOutcome;

constexpr std::size_t kLongestReason = 300;  // maximum length of a reason in bytes
constexpr std::size_t kLookedAt = 4096;      // number of bytes searched in each line
// Maximum number of lines between two messages about the same failure. The stack trace of a rank
// has fewer lines. If an error is further away from the next message, the program survived that
// error.
constexpr std::size_t kWidestGap = 200;

/// Part of the text that becomes the reason: the whole line, the text from the matched message, or
/// a sentence that continues on the following lines.
enum class From { line, match, sentence };

/// Known message. A line matches if it contains all `parts` in this order.
struct Message {
  Certainty certainty;
  std::array<std::string_view, 3> parts;
  std::optional<RunOutcome> outcome = {};
  From from = From::match;
  std::string_view meaning = {};  ///< explanation that is appended to an unclear message
};

constexpr auto kMemory = RunOutcome::OutOfMemory;
/// Beginning of the message of a job script about a failed line of environment_setup.
constexpr std::string_view kSetupFailed = "trainer.environment_setup: ";
constexpr std::string_view kLockedMemory = " (the limit of locked memory, ulimit -l, is too low)";

// Known messages. The first message that matches a line counts. Sources: slurm (slurmstepd, srun,
// proctrack/cgroup), the kernel (mm/oom_kill.c), PyTorch (c10, c10d, elastic), TensorFlow and XLA,
// Open MPI (orterun, PRRTE), MPICH (Hydra), Open PBS, LSF, DeepSpeed's launcher, Horovod.
constexpr Message kMessages[] = {
    // Messages of the scheduler about the reason why it ended the job.
    {Certainty::verdict, {"slurmstepd", "DUE TO TIME LIMIT"}, RunOutcome::TimedOut},
    {Certainty::verdict, {"CANCELLED AT ", "DUE TO TIME LIMIT"}, RunOutcome::TimedOut, From::line},
    {Certainty::verdict, {"PBS: job killed: walltime"}, RunOutcome::TimedOut},
    {Certainty::verdict, {"TERM_RUNLIMIT"}, RunOutcome::TimedOut},
    {Certainty::verdict, {"slurmstepd", "DUE TO PREEMPTION"}, RunOutcome::Preempted},
    {Certainty::verdict, {"CANCELLED AT ", "DUE TO PREEMPTION"}, RunOutcome::Preempted, From::line},
    {Certainty::verdict, {"slurmstepd", "DUE TO NODE FAILURE"}, RunOutcome::NodeFailed},
    {Certainty::verdict, {"DUE TO NODE FAILURE"}, RunOutcome::NodeFailed, From::line},
    {Certainty::verdict, {"srun: error: Node failure on"}, RunOutcome::NodeFailed},
    // Messages of the batch system and the kernel about host memory.
    {Certainty::verdict, {"slurmstepd", "oom_kill event"}, kMemory},
    {Certainty::verdict, {"slurmstepd", "oom-kill event"}, kMemory},
    {Certainty::verdict, {"srun: error: ", "Out Of Memory"}, kMemory},
    {Certainty::verdict, {"cgroup out-of-memory handler"}, kMemory, From::line},
    {Certainty::verdict, {"Exceeded ", " memory limit"}, kMemory, From::line},
    {Certainty::verdict, {"PBS: job killed: mem"}, kMemory},
    {Certainty::verdict, {"TERM_MEMLIMIT"}, kMemory},
    {Certainty::verdict, {"Out of memory: Kill"}, kMemory},
    {Certainty::verdict, {"emory cgroup out of memory: Kill"}, kMemory},
    {Certainty::verdict, {"invoked oom-killer"}, kMemory},
    {Certainty::verdict, {"oom-kill:constraint="}, kMemory},
    {Certainty::verdict, {"oom_reaper: reaped process"}, kMemory},
    {Certainty::verdict, {"OOMKilled"}, kMemory},
    {Certainty::verdict, {"oom_kill event"}, kMemory, From::line},
    // Messages about failed GPUs, and about memory that could not be locked for a network device.
    // The messages about locked memory report a limit, not a lack of memory. The numbers of
    // NVIDIA's Xid errors are 48 for memory, 74 for NVLink, 79 for a GPU that has fallen off the
    // bus, and 94 and 95 for uncorrectable errors.
    {Certainty::verdict, {"NVRM: Xid", "fallen off the bus"}},
    {Certainty::verdict, {"NVRM: GPU", "fallen off the bus"}},
    {Certainty::verdict, {"NVRM: Xid", "): 48,"}},
    {Certainty::verdict, {"NVRM: Xid", "): 74,"}},
    {Certainty::verdict, {"NVRM: Xid", "): 79,"}},
    {Certainty::verdict, {"NVRM: Xid", "): 94,"}},
    {Certainty::verdict, {"NVRM: Xid", "): 95,"}},
    {Certainty::verdict, {"ibv_", "Cannot allocate memory"}, {}, From::match, kLockedMemory},
    {Certainty::verdict,
     {"memory registration", "Cannot allocate memory"},
     {},
     From::match,
     kLockedMemory},
    {Certainty::verdict, {"RLIMIT_MEMLOCK"}, {}, From::line, kLockedMemory},
    // Messages of programs about host memory.
    {Certainty::verdict, {"RuntimeError: ", "DefaultCPUAllocator", "memory"}, kMemory},
    {Certainty::verdict, {"DefaultCPUAllocator", "memory"}, kMemory, From::line},
    {Certainty::verdict, {"std::bad_alloc"}, kMemory, From::line},
    {Certainty::verdict, {"Cannot allocate memory"}, kMemory, From::line},
    {Certainty::verdict, {"orker", "out of shared memory"}, kMemory, From::line},
    {Certainty::verdict, {"_ArrayMemoryError"}, kMemory},
    // Messages about GPU memory.
    {Certainty::verdict, {"OutOfMemoryError"}, kMemory},
    {Certainty::verdict, {"RuntimeError: ", "out of memory"}, kMemory},
    {Certainty::verdict, {"CUDA out of memory"}, kMemory},
    {Certainty::verdict, {"HIP out of memory"}, kMemory},
    {Certainty::verdict, {"XPU out of memory"}, kMemory},
    {Certainty::verdict, {"CUDA error: out of memory"}, kMemory},
    {Certainty::verdict, {"HIP error: out of memory"}, kMemory},
    {Certainty::verdict, {"Cuda failure", "out of memory"}, kMemory},
    {Certainty::verdict, {"CUDA_ERROR_OUT_OF_MEMORY"}, kMemory, From::line},
    {Certainty::verdict, {"cudaErrorMemoryAllocation"}, kMemory, From::line},
    {Certainty::verdict, {"cudaMalloc ", "out of memory"}, kMemory, From::line},
    {Certainty::verdict, {"hipMalloc ", "out of memory"}, kMemory, From::line},
    {Certainty::verdict, {"_STATUS_ALLOC_FAILED"}, kMemory, From::line},
    {Certainty::verdict, {"_ALLOCATION_FAILED"}, kMemory, From::line},
    {Certainty::verdict, {"CUFFT_ALLOC_FAILED"}, kMemory, From::line},
    {Certainty::verdict, {"rocblas_status_memory_error"}, kMemory, From::line},
    {Certainty::verdict, {"RESOURCE_EXHAUSTED"}, kMemory},
    {Certainty::verdict, {"ResourceExhaustedError"}, kMemory},
    {Certainty::verdict, {"OOM when allocating"}, kMemory, From::line},
    // Messages of processes that lost the connection to another process, or whose child failed.
    {Certainty::peer, {"remote process exited"}},
    {Certainty::peer, {"ncclRemoteError"}},
    {Certainty::peer, {"Connection reset by peer"}},
    {Certainty::peer, {"Connection closed by peer"}},
    {Certainty::peer, {"Connection closed by remote peer"}},
    {Certainty::peer, {"Broken pipe"}},
    {Certainty::peer, {"Connection refused"}},
    {Certainty::peer, {"BrokenPipeError"}},
    {Certainty::peer, {"ConnectionResetError"}},
    {Certainty::peer, {"HorovodInternalError"}},
    {Certainty::peer, {"ChildFailedError"}},
    {Certainty::peer, {"CalledProcessError"}},
    {Certainty::peer, {"ProcessExitedException"}},
    {Certainty::peer, {"ProcessRaisedException"}},
    {Certainty::peer, {"SignalException"}},
    {Certainty::peer, {"KeyboardInterrupt"}},
    {Certainty::peer, {"has left while others wait for it"}},
    {Certainty::peer, {"reached monitoredBarrier, but received errors"}},
    // Messages that are written while other processes are being stopped.
    {Certainty::follow_up, {"closing signal SIGTERM"}},
    {Certainty::follow_up, {"Killing subprocess"}},
    {Certainty::follow_up, {"exited unexpectedly"}},
    {Certainty::follow_up, {"srun: error: ", "task", "Terminated"}},
    {Certainty::follow_up, {"srun: Job step aborted"}},
    {Certainty::follow_up, {"srun: Force Terminated"}},
    {Certainty::follow_up, {"srun: Terminating"}},
    {Certainty::follow_up, {"srun: launch/slurm:"}},
    {Certainty::follow_up, {"srun: forcing job termination"}},
    {Certainty::follow_up, {"srun: interrupt"}},
    {Certainty::follow_up, {"srun: ", "sending Ctrl-C"}},
    {Certainty::follow_up, {"slurmstepd", " error: ***", "CANCELLED AT "}},
    {Certainty::follow_up, {"process refused to die"}},
    {Certainty::follow_up, {"Signal 15 (SIGTERM)"}},
    {Certainty::follow_up, {"exitcode", ": -15"}},
    {Certainty::follow_up, {"(exitcode: -15)"}},
    {Certainty::follow_up, {"on signal 15 (Terminated)"}},
    {Certainty::follow_up, {"KILLED BY SIGNAL: 15"}},
    {Certainty::follow_up, {"EXIT STRING: Terminated (signal 15)"}},
    {Certainty::follow_up, {"NVRM: Xid", "): 45,"}},
    {Certainty::follow_up, {"CLEANING UP REMAINING PROCESSES"}},
    {Certainty::follow_up, {"YOU CAN IGNORE THE BELOW CLEANUP MESSAGES"}},
    {Certainty::follow_up, {"This typically refers to a problem with your application"}},
    {Certainty::follow_up, {"Please see the FAQ page for debugging suggestions"}},
    {Certainty::follow_up, {"frame #"}},
    {Certainty::follow_up, {"To enable traceback see"}},
    {Certainty::follow_up, {"error_file"}},
    {Certainty::follow_up, {"<NO_OTHER_FAILURES>"}},
    {Certainty::follow_up, {"Failures:"}},
    {Certainty::follow_up, {"failed to call force_finalize"}},
    {Certainty::follow_up, {"Setting OMP_NUM_THREADS environment variable for each process"}},
    {Certainty::follow_up, {"no error file defined for parent"}},
    // Messages about a collective that timed out.
    {Certainty::timeout, {"failed to pass monitoredBarrier in"}},
    {Certainty::timeout, {"atchdog caught collective operation timeout"}},
    {Certainty::timeout, {"before timing out"}},
    {Certainty::timeout, {"Timeout at NCCL work"}},
    {Certainty::timeout, {"NCCL operations have failed or timed out"}},
    {Certainty::timeout, {"Timed out waiting "}},
    {Certainty::timeout, {"Socket Timeout"}},
    {Certainty::timeout, {"Timed out after ", "waiting for clients"}},
    {Certainty::timeout, {"client socket has timed out"}},
    {Certainty::timeout, {"wait timeout after"}},
    {Certainty::timeout, {"Watchdog timeout"}},
    // Messages of programs that name the signal they received.
    {Certainty::crash, {"Fatal Python error: "}},
    {Certainty::crash, {"Caught signal "}},
    {Certainty::crash, {"Signal: Segmentation fault"}},
    {Certainty::crash, {"Signal: Bus error"}},
    {Certainty::crash, {"segfault at "}, {}, From::line},
    {Certainty::crash, {"Segmentation fault (core dumped)"}, {}, From::line},
    {Certainty::crash, {"Segmentation fault"}, {}, From::line},
    {Certainty::crash, {"Bus error"}, {}, From::line},
    {Certainty::crash, {"Illegal instruction"}, {}, From::line},
    {Certainty::crash, {"orker (pid ", "killed by signal"}, {}, From::line},
    {Certainty::crash, {"NVRM: Xid"}},
    // Messages of the C library, which then aborts the process.
    {Certainty::crash, {"double free or corruption"}},
    {Certainty::crash, {"free(): invalid "}},
    {Certainty::crash, {"malloc(): "}},
    {Certainty::crash, {"munmap_chunk(): "}},
    {Certainty::crash, {"corrupted size vs. prev_size"}},
    {Certainty::crash, {"stack smashing detected"}, {}, From::line},
    // Message of the C++ library, which then aborts the process. The next line is the text of the
    // exception, if the exception has a text (by_cpp_exception).
    {Certainty::killed, {"terminate called "}},
    // Messages of launchers that name the signal that ended a process.
    {Certainty::killed, {"noticed that process rank", "signal "}, {}, From::line},
    {Certainty::killed, {"Signal ", "received by PID"}},
    {Certainty::killed, {"KILLED BY SIGNAL: "}},
    {Certainty::killed, {"EXIT STRING: ", "(signal "}},
    {Certainty::killed, {"failed (exitcode: -"}},
    {Certainty::killed, {"(exitcode: -"}, {}, From::line},
    {Certainty::killed, {"exitcode ", ": -"}},
    {Certainty::killed, {"exits with return code = -"}},
    {Certainty::killed, {"srun: error: ", "Killed"}},
    {Certainty::killed, {"srun: error: ", "Aborted"}},
    {Certainty::killed, {"Process received signal"}, {}, From::line},
    {Certainty::killed, {"died with <Signals."}, {}, From::line},
    {Certainty::killed, {": line ", " Killed "}, {}, From::line},
    {Certainty::killed, {"Aborted (core dumped)"}, {}, From::line},
    // Messages of launchers that report that a process ended.
    {Certainty::notice, {"noticed that process rank"}, {}, From::line},
    {Certainty::notice, {"srun: error: "}},
    {Certainty::notice, {"Exited with exit code"}, {}, From::line},
    {Certainty::notice, {"Exit code:"}},
    {Certainty::notice, {"EXIT CODE: "}},
    {Certainty::notice, {"BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES"}},
    {Certainty::notice, {"MPI_ABORT was invoked"}},
    {Certainty::notice, {"mpirun has exited due to"}},
    {Certainty::notice, {"Primary job  terminated normally"}},
    {Certainty::notice, {"job has been aborted"}},
    {Certainty::notice, {"ORTE has lost communication with a remote daemon"}},
    {Certainty::notice, {"PRTE has lost communication with a remote daemon"}},
    {Certainty::notice, {"ORTE_ERROR_LOG"}},
    {Certainty::notice, {"PRTE ERROR"}},
    {Certainty::notice, {"PMIX ERROR"}},
    {Certainty::notice, {"(exitcode: "}, {}, From::line},
    {Certainty::notice, {"exitcode ", ": "}},
    {Certainty::notice, {"exits with return code ="}},
    {Certainty::notice, {"exit with status code"}, {}, From::line},
    {Certainty::notice, {" FAILED"}, {}, From::line},
    {Certainty::notice, {"Root Cause (first observed failure)"}},
    // Message of a job script, which knows the cause. The failed command wrote its own error
    // before.
    {Certainty::verdict, {kSetupFailed, " ended with exit code "}},
    // Messages of launchers that could not start the program.
    {Certainty::error, {"There are not enough slots available"}, {}, From::sentence},
    {Certainty::error, {"All nodes which are allocated for this job are"}, {}, From::sentence},
    {Certainty::error, {"Your job has requested more "}, {}, From::sentence},
    {Certainty::error, {"was unable to find the specified executable"}, {}, From::sentence},
    {Certainty::error, {"was unable to launch the specified application"}, {}, From::sentence},
    {Certainty::error, {"was unable to start the specified application"}, {}, From::sentence},
    {Certainty::error, {"A request was made to bind "}, {}, From::sentence},
    {Certainty::error, {"A request for multiple cpus-per-proc was given"}, {}, From::sentence},
    {Certainty::error, {"tried to bind a new process, but something went"}, {}, From::sentence},
    {Certainty::error, {"daemon has unexpectedly failed after launch"}, {}, From::sentence},
    // Message of a job script on a machine without environment modules. The script continues.
    {Certainty::words, {" module: command not found"}, {}, From::line},
    // Error messages that do not come from Python exceptions.
    {Certainty::error, {"python", ": No module named "}, {}, From::line},
    {Certainty::error, {"No such file or directory"}, {}, From::line},
    {Certainty::error, {"command not found"}, {}, From::line},
    {Certainty::error, {"No space left on device"}, {}, From::line},
    {Certainty::error, {"Disk quota exceeded"}, {}, From::line},
    {Certainty::error, {"cannot open shared object file"}, {}, From::line},
    {Certainty::error, {": error: "}, {}, From::line},
    // Error messages of programs in C, C++ and CUDA, which often abort after the message.
    {Certainty::error, {"terminating due to uncaught exception of type"}},
    {Certainty::error, {"terminating with uncaught exception of type"}},
    {Certainty::error, {": Assertion `", "failed"}, {}, From::line},
    {Certainty::error, {"Check failed: "}},
    {Certainty::error, {"CUDA error: "}},
    {Certainty::error, {"Failed", "Cuda error "}},
    {Certainty::error, {"Failed", "NCCL error "}},
    {Certainty::error, {"Cuda failure "}},
    {Certainty::error, {"NCCL failure "}},
};

/// Words for errors, in lower case. Lines that match no known message are searched for them.
constexpr std::string_view kErrorWords[] = {"error", "fatal",  "fail",    "cannot", "can't",
                                            "abort", "refuse", "invalid", "denied", "missing"};
/// Words of lines that only warn of an error or explain how to avoid an error.
constexpr std::string_view kWarningWords[] = {"warning", "avoid", " may ", "might",
                                              "could",   "try ",  "hint",  "if you"};

/// Words of messages about an error that the program handled.
constexpr std::string_view kSurvivedWords[] = {"falling back",
                                               "fall back to",
                                               "retrying",
                                               "will retry",
                                               "trying again",
                                               "trying another",
                                               "attempting to recover",
                                               "skipping",
                                               "skipped",
                                               "error caught",
                                               "exception caught",
                                               "caught, ",
                                               "caught cuda",
                                               "caught oom",
                                               "caught out of",
                                               "caught an o",
                                               "caught a ",
                                               "not a failure",
                                               "continuing",
                                               "is ignored",
                                               "ignoring",
                                               "starting from scratch",
                                               "recovered from",
                                               "reducing batch",
                                               "reduced batch"};

/// Words that programs print while they train. Such a line shows that an earlier error did not end
/// the program.
constexpr std::string_view kProgressWords[] = {"epoch", "step", "iter", "loss", "batch"};

/// Words in messages of batch systems and kernels. A program does not survive the errors in these
/// messages.
constexpr std::string_view kSystemWords[] = {"slurmstepd", "srun: ", "oom_kill", "oom-kill",
                                             "oom_reaper", "Killed", "PBS: ",    "TERM_",
                                             "CANCELLED",  "cgroup", "NVRM: "};

/// Words of exceptions that a rank raises if another rank has failed.
constexpr std::string_view kOthersWords[] = {
    "NCCL",     "nccl",      "ProcessGroup", "DistBackendError", "gloo",   "Gloo",
    "TCPStore", "onnection", "queue.Empty",  "EOFError",         "imeout", "timed out",
    "barrier",  "MPI"};

constexpr std::string_view kTrainer = "dlscale-train: ";

template <class Words>
bool has_any(std::string_view line, const Words& words) {
  return std::any_of(std::begin(words), std::end(words),
                     [&](std::string_view word) { return line.find(word) != line.npos; });
}

bool says_something(std::string_view line) {
  return std::any_of(line.begin(), line.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c >= 0x80; });
}

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
}

/// Returns the start of the word that contains position `at`.
std::size_t word_at(std::string_view line, std::size_t at) {
  while (at > 0 && is_of_name(line[at - 1])) --at;
  return at;
}

/// Returns the position of the message in the line, or npos if the line does not match the message.
std::size_t find(const Message& message, std::string_view line) {
  std::size_t at = 0, first = line.npos;
  for (const std::string_view part : message.parts) {
    if (part.empty()) break;
    at = line.find(part, at);
    if (at == line.npos) return line.npos;
    if (first == line.npos) first = at;
    at += part.size();
  }
  return first;
}

/// Returns the position of an exception's name ("ValueError: …", "a.b.Exception") in a line that
/// reports a Python exception. A launcher's prefix may precede the name. Returns npos for a line
/// without an exception.
std::size_t find_exception(std::string_view line) {
  for (const std::string_view end : {"Error", "Exception", "Interrupt", "SystemExit"}) {
    for (std::size_t at = line.find(end); at != line.npos; at = line.find(end, at + 1)) {
      const std::size_t behind = at + end.size();
      if (behind < line.size() && line[behind] != ':') continue;
      const std::size_t begin = word_at(line, at);
      const std::string_view before = line.substr(0, begin);
      const bool is_first = before.empty() || before.ends_with("]: ") || before.ends_with("]:") ||
                            before.ends_with(">:") || before.ends_with(": ") ||
                            before.ends_with("] ");
      if (is_first && line[begin] != '-' && line[begin] != '.') return begin;
    }
  }
  return line.npos;
}

std::string printable(std::string_view line) {
  std::string text(line.substr(0, kLongestReason));
  for (char& c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
  }
  return std::string(base::trimmed(text, " "));
}

/// Classification of one line. `reason` may still contain control characters.
struct Found {
  std::size_t line = 0;
  std::string_view reason;
  Certainty certainty = Certainty::none;
  std::optional<RunOutcome> outcome;
  From from = From::line;
  std::string_view meaning = {};
};

/// Returns whether a logger marked the line as a warning: "W0101 …", "[W socket.cpp…", "… W
/// tensorflow/…".
bool is_logged_warning(std::string_view line) {
  const bool is_glog = line.size() > 5 && line[0] == 'W' &&
                       std::all_of(line.begin() + 1, line.begin() + 5, &base::is_digit);
  return is_glog || line.find(" W tensorflow/") != line.npos || line.starts_with("[W") ||
         line.find("]:[W") != line.npos || line.find("WARNING") != line.npos;
}

/// Classifies a line that matches no message by the words in the line.
Found by_words(std::string_view line) {
  const std::string text = base::lower(line);
  const bool warns =
      has_any(text, kWarningWords) || has_any(text, kSurvivedWords) || is_logged_warning(line);
  if (!warns && (text.find("out of memory") != text.npos || text.find("oom-kill") != text.npos ||
                 text.find("oom_kill") != text.npos)) {
    return {0, line, Certainty::verdict, kMemory};
  }
  if (!warns && line.starts_with(kTrainer)) return {0, line, Certainty::error, {}};
  if (!warns && has_any(text, kErrorWords)) return {0, line, Certainty::words, {}};
  return {0, line, Certainty::last_line, {}};
}

/// Returns whether a message reports an error that the program handled, or only warns of an error.
bool is_survived(const Message& message, std::string_view line) {
  if (message.certainty != Certainty::verdict && message.certainty != Certainty::error)
    return false;
  const std::string text = base::lower(line);
  if (has_any(text, kSurvivedWords) && !has_any(line, kSystemWords)) return true;
  if (message.certainty == Certainty::error) return is_logged_warning(line);
  const bool has_error = line.find("Error") != line.npos || line.find("error") != line.npos;
  return has_any(text, kWarningWords) && !has_error;
}

/// Classifies a line that reports an exception and matches no message.
Found by_exception(std::string_view line, std::size_t begin) {
  const std::string_view reason = line.substr(begin);
  const std::string text = base::lower(reason);
  if (has_any(text, kSurvivedWords)) return {0, line, Certainty::words, {}};
  const bool is_memory =
      reason.starts_with("MemoryError") || text.find("out of memory") != text.npos;
  return {0, reason, is_memory ? Certainty::verdict : Certainty::error,
          is_memory ? std::optional(kMemory) : std::nullopt};
}

/// Text before the message of an uncaught C++ exception ("  what():  bad shape").
constexpr std::string_view kWhat = "what():";

/// Classifies a line with the message of an uncaught C++ exception. The message begins at position
/// `at`. Communication libraries also throw exceptions if another rank has failed.
Found by_cpp_exception(std::string_view line, std::size_t at) {
  const bool is_of_others = has_any(line, kOthersWords);
  return {0, line.substr(at), is_of_others ? Certainty::timeout : Certainty::error, {}};
}

Found read_line(std::string_view line) {
  line = line.substr(0, kLookedAt);
  for (const Message& message : kMessages) {
    const std::size_t at = find(message, line);
    if (at == line.npos) continue;
    if (is_survived(message, line)) return {0, line, Certainty::last_line, {}};
    std::size_t begin = message.from == From::line ? 0 : word_at(line, at);
    if (message.from == From::sentence) begin = line.find_first_not_of(' ');
    if (const std::size_t exception = find_exception(line); exception < at) begin = exception;
    return {
        0, line.substr(begin), message.certainty, message.outcome, message.from, message.meaning};
  }
  if (const std::size_t what = line.find(kWhat); what != line.npos) {
    return by_cpp_exception(line, what);
  }
  const std::size_t exception = find_exception(line);
  return exception == line.npos ? by_words(line) : by_exception(line, exception);
}

/// Changes the classification of the last line of a traceback to an exception, unless a known
/// message already explains the line.
void take_exception(std::string_view line, Found& found) {
  const bool is_known =
      found.certainty == Certainty::verdict || found.certainty == Certainty::peer ||
      found.certainty == Certainty::timeout || found.certainty == Certainty::crash ||
      found.certainty == Certainty::follow_up;
  // This line repeats the exception of a DataLoader worker. The worker's own traceback follows.
  const bool is_repeated =
      line.find(": Caught ") != line.npos && line.find(" in DataLoader worker") != line.npos;
  if (is_known || is_repeated) return;
  if (found.certainty != Certainty::error) found.reason = line;
  found.certainty = Certainty::exception;
  found.outcome.reset();
}

/// Returns true if the first of several lines with this certainty is the reason. Other ranks repeat
/// such lines. If the function returns false, the last line is the reason.
bool first_counts(Certainty certainty) {
  return certainty >= Certainty::killed;
}

/// Returns the text without the names that launchers put in front of a line of a rank: mpirun's
/// "[1,0]<stderr>:", and "[rank0]: " or "[default0]:" of torch and torchrun.
std::string_view without_rank(std::string_view text) {
  for (bool again = true; again;) {
    const std::size_t bracket = text.starts_with('[') ? text.find(']') : text.npos;
    if (bracket == text.npos) break;
    const std::string_view name = text.substr(1, bracket - 1);
    std::string_view rest = text.substr(bracket + 1);
    const bool of_mpirun = rest.starts_with("<stderr>:") || rest.starts_with("<stdout>:");
    const bool of_torch =
        (name.starts_with("rank") || name.starts_with("default")) && rest.starts_with(':');
    again = of_mpirun || of_torch;
    if (!again) break;
    rest.remove_prefix(rest.find(':') + 1);
    text = base::trimmed(rest, " ");
  }
  return text;
}

/// Returns the type of the C++ exception whose message is in line `i`, as "std::runtime_error: ".
/// Returns an empty text if none of the lines shortly before names the type. Lines of other ranks
/// may be between the type and the message.
std::string type_before(const std::vector<std::string_view>& lines, std::size_t i) {
  constexpr std::string_view kThrown = "terminate called after throwing an instance of '";
  constexpr std::size_t kNear = 8;
  for (std::size_t back = 1; back <= std::min(i, kNear); ++back) {
    const std::string_view line = lines[i - back];
    const std::size_t at = line.find(kThrown);
    if (at == line.npos) continue;
    const std::string_view type = line.substr(at + kThrown.size());
    return std::string(type.substr(0, type.find('\''))) + ": ";
  }
  return "";
}

/// Returns the error of the shell in the line before line `i`, as "venv/bin/activate: No such file
/// or directory; ". Returns an empty text if the line before does not come from the shell.
std::string shell_error_before(const std::vector<std::string_view>& lines, std::size_t i) {
  if (i == 0) return "";
  const std::string_view error = without_shell_place(lines[i - 1]);
  return error == lines[i - 1] ? "" : std::string(error) + "; ";
}

/// Returns the whole number that follows a key and a colon: 1 for the key "rank" in "rank  : 1 (".
std::optional<int> number_after(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == line.npos) return std::nullopt;
  line = base::trimmed(line.substr(at + key.size()), " :");
  int number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

/// Returns how torchrun names the rank of the process `pid` near line `i`: "rank 9" if its last
/// report follows, whose line about the rank precedes the line about the exit code, else "local
/// rank 1" if line `i` contains this number. Returns an empty text for an unknown rank.
std::string rank_of_process(const std::vector<std::string_view>& lines, std::size_t i, int pid) {
  const std::size_t end = std::min(lines.size(), i + kWidestGap);
  for (std::size_t at = std::max<std::size_t>(i, 1); at < end; ++at) {
    const bool is_of_process =
        number_after(lines[at], "exitcode ") && number_after(lines[at], "(pid") == pid;
    if (!is_of_process || lines[at - 1].find("(local_rank: ") == lines[at - 1].npos) continue;
    if (const auto rank = number_after(lines[at - 1], "rank "))
      return fmt::format("rank {}", *rank);
  }
  const auto local = number_after(lines[i], "local_rank");
  return local ? fmt::format("local rank {}", *local) : "";
}

/// Returns "SIGABRT" for signal 6, or "signal N" for a signal that seldom ends a program.
std::string signal_name(int signal) {
  constexpr std::pair<int, const char*> kNames[] = {
      {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
      {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
      {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
      {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"}, {SIGXCPU, "SIGXCPU"},
      {SIGXFSZ, "SIGXFSZ"}, {SIGSYS, "SIGSYS"}};
  for (const auto& [number, name] : kNames) {
    if (number == signal) return name;
  }
  return fmt::format("signal {}", signal);
}

/// Returns torchrun's report in line `i` that a rank ended, as "rank 1 was killed by SIGKILL".
/// torchrun reports the signal N as the exit code -N. Returns an empty text for other lines.
std::string end_of_rank(const std::vector<std::string_view>& lines, std::size_t i) {
  const auto code = number_after(lines[i], "exitcode"), pid = number_after(lines[i], "(pid");
  if (!code || !pid) return "";
  const std::string rank = rank_of_process(lines, i, *pid);
  if (rank.empty()) return "";
  if (*code >= 0) return fmt::format("{} ended with exit code {}", rank, *code);
  return fmt::format("{} was {} by {}", rank, -*code == SIGABRT ? "aborted" : "killed",
                     signal_name(-*code));
}

/// Returns the reason with the lines that continue it. mpirun breaks its messages into several
/// lines. The line before a C++ exception names its type, and the line before a failed line of
/// environment_setup names the file or the command that is missing.
std::string whole_reason(const Found& found, const std::vector<std::string_view>& lines) {
  if (found.certainty == Certainty::killed || found.certainty == Certainty::notice) {
    std::string end = end_of_rank(lines, found.line);
    if (!end.empty()) return end;
  }
  std::string reason(found.reason);
  const std::string_view said = base::trimmed(without_rank(found.reason), " ");
  if (said.starts_with(kWhat)) {
    reason = type_before(lines, found.line);
    reason += base::trimmed(said.substr(kWhat.size()), " ");
  } else if (reason.starts_with(kSetupFailed)) {
    reason = shell_error_before(lines, found.line) + reason;
  }
  const bool is_wrapped = found.reason.find("noticed that process rank") != found.reason.npos &&
                          found.reason.find("signal") == found.reason.npos;
  const std::size_t most = found.from == From::sentence ? 4 : is_wrapped ? 1 : 0;
  for (std::size_t i = found.line + 1; i < lines.size() && i <= found.line + most; ++i) {
    if (!says_something(lines[i]) || reason.ends_with('.') || reason.ends_with(':')) break;
    reason.append(" ").append(printable(lines[i]));
  }
  if (found.from == From::sentence) {
    reason = reason.substr(0, std::min(reason.find(".  "), reason.size()));
    while (reason.ends_with(':') || reason.ends_with('.')) reason.pop_back();
  }
  return printable(without_rank(reason)).append(found.meaning);
}

/// Search for the reason of a failure, from the last line of a log to the first line.
class Search {
 public:
  explicit Search(const std::vector<std::string_view>& lines)
      : lines_(lines), parts_(traceback_parts(lines)), last_message_(lines.size()) {}

  Found run() {
    for (std::size_t i = lines_.size(); i-- > 0;) {
      const bool is_part = parts_[i] == TracebackPart::frame || parts_[i] == TracebackPart::ignored;
      if (is_part || !says_something(lines_[i])) continue;
      if (last_message_ - i > kWidestGap) break;
      look_at(i);
    }
    return best_;
  }

 private:
  void look_at(std::size_t i) {
    Found found = read_line(lines_[i]);
    found.line = i;
    if (parts_[i] == TracebackPart::exception) take_exception(lines_[i], found);
    if (found.certainty != Certainty::last_line) last_message_ = i;
    if (is_outlived(found)) return;
    note_progress(found);
    const bool is_better = found.certainty > best_.certainty ||
                           (found.certainty == best_.certainty && first_counts(found.certainty));
    if (is_better) best_ = found;
    const bool is_end = parts_[i] == TracebackPart::exception &&
                        found.certainty >= Certainty::exception &&
                        !has_any(lines_[i], kOthersWords);
    if (!is_end) return;
    has_end_ = true;
    rank_of_end_ = before_reason(found);
  }

  /// Returns whether the program survived an error: it continued to train after the error, until an
  /// exception of the program itself ended the training.
  bool is_outlived(const Found& found) const {
    const std::string_view rank = before_reason(found);
    const bool is_other_rank = !rank.empty() && !rank_of_end_.empty() && rank != rank_of_end_;
    return has_trained_ && found.certainty >= Certainty::error && !is_other_rank &&
           !has_any(lines_[found.line], kSystemWords);
  }

  /// Returns the prefix that a launcher put in front of the reason, such as "[rank0]: ".
  std::string_view before_reason(const Found& found) const {
    const std::string_view line = lines_[found.line];
    return line.substr(0, static_cast<std::size_t>(found.reason.data() - line.data()));
  }

  void note_progress(const Found& found) {
    const bool is_plain = found.certainty == Certainty::last_line;
    if (has_end_ && is_plain && has_any(base::lower(lines_[found.line]), kProgressWords)) {
      has_trained_ = true;
    }
  }

  const std::vector<std::string_view>& lines_;
  std::vector<TracebackPart> parts_;
  std::size_t last_message_;
  Found best_;
  /// True: an exception ended the program. The exception is not the consequence of another rank's
  /// failure.
  bool has_end_ = false;
  std::string_view rank_of_end_;
  bool has_trained_ = false;  ///< true: progress was printed before the exception
};

}  // namespace

std::string_view without_shell_place(std::string_view line) {
  constexpr std::string_view kPlace = ": line ";
  const std::size_t place = line.find(kPlace);
  if (place == line.npos) return line;
  const std::size_t number = place + kPlace.size();
  const std::size_t end = line.find_first_not_of("0123456789", number);
  if (end == line.npos || end == number || !line.substr(end).starts_with(": ")) return line;
  return line.substr(end + 2);
}

FailureWords find_failure(std::string_view text) {
  const std::vector<std::string_view> lines = base::lines_of(text);
  const Found best = Search(lines).run();
  if (best.certainty == Certainty::none) return {};
  return {whole_reason(best, lines), best.certainty, best.outcome};
}

namespace {

/// Maximum number of lines of a block in which a launcher reports the end of processes.
constexpr std::size_t kLongestFooter = 200;
/// Words in the blocks in which torchrun, mpirun and MPICH report the end of processes.
constexpr std::string_view kFooterWords[] = {"Root Cause (first observed failure)",
                                             "Primary job  terminated normally",
                                             "mpirun ",
                                             "mpiexec ",
                                             "prterun ",
                                             "orterun ",
                                             "MPI_ABORT was invoked",
                                             "BAD TERMINATION"};
/// Words of other lines that launchers write.
constexpr std::string_view kLauncherWords[] = {
    "torch/distributed/", "torch.distributed.run", "torch.distributed.elastic",
    "[launch.py:",        "[runner.py:",           "srun: ",
    "slurmstepd"};

/// Returns the character of a line that draws a rule ("=====" or "-----"), or 0 for other lines.
char rule_of(std::string_view line) {
  constexpr std::size_t kShortest = 20;
  const std::string_view text = base::trimmed(line, " \r");
  const bool is_rule = text.size() >= kShortest && (text[0] == '=' || text[0] == '-') &&
                       text.find_first_not_of(text[0]) == text.npos;
  return is_rule ? text[0] : '\0';
}

/// Returns, for each line, whether the line belongs to a block between two rules in which a
/// launcher reports the end of processes.
std::vector<bool> footer_lines(const std::vector<std::string_view>& lines) {
  std::vector<bool> marked(lines.size(), false);
  for (std::size_t begin = 0; begin < lines.size(); ++begin) {
    const char rule = rule_of(lines[begin]);
    if (rule == '\0') continue;
    bool is_footer = false;
    const std::size_t limit = std::min(lines.size(), begin + kLongestFooter);
    std::size_t end = begin + 1;
    for (; end < limit && rule_of(lines[end]) != rule; ++end) {
      is_footer = is_footer || has_any(lines[end], kFooterWords);
    }
    if (!is_footer) continue;
    for (std::size_t i = begin; i < end; ++i) marked[i] = true;
  }
  return marked;
}

/// Returns whether the line is a warning of Python ("FILE:LINE: UserWarning: …"), or the line of
/// code that Python prints after such a warning.
bool is_python_warning(const std::vector<std::string_view>& lines, std::size_t i) {
  const auto warns = [](std::string_view line) {
    const std::size_t at = line.find("Warning: ");
    return at != line.npos && at > 0 && std::isalpha(static_cast<unsigned char>(line[at - 1])) != 0;
  };
  return warns(lines[i]) || (i > 0 && lines[i].starts_with("  ") && warns(lines[i - 1]));
}

/// Returns whether the program itself wrote the line, and the line is not part of a traceback. A
/// line in a box belongs to a traceback that the library rich printed.
bool is_of_program(std::string_view line) {
  for (const std::string_view box : {"\u2502", "\u256d", "\u2570"}) {
    if (base::trimmed(line, " ").starts_with(box)) return false;
  }
  if (line.find(kBegin) != line.npos) return false;
  switch (read_line(line).certainty) {
    case Certainty::none:
    case Certainty::follow_up:
    case Certainty::peer:
    case Certainty::notice:
    case Certainty::killed:
      return false;
    default:
      return !has_any(line, kLauncherWords);
  }
}

}  // namespace

std::string last_own_line(std::string_view text) {
  // A progress bar writes its states one after another in the same line.
  const auto shown = [](std::string_view line) {
    line = base::trimmed(line, "\r");
    return line.substr(line.rfind('\r') + 1);
  };
  const auto is_progress_bar = [](std::string_view line) {
    return line.find("%|") != line.npos || line.find("it/s]") != line.npos ||
           line.find("s/it]") != line.npos;
  };
  const std::vector<std::string_view> lines = base::lines_of(text);
  const std::vector<TracebackPart> parts = traceback_parts(lines);
  const std::vector<bool> footer = footer_lines(lines);
  for (std::size_t i = lines.size(); i-- > 0;) {
    const std::string_view line = shown(lines[i]);
    if (parts[i] != TracebackPart::none || footer[i] || !says_something(line)) continue;
    if (is_python_warning(lines, i)) continue;
    if (is_of_program(line) && !is_progress_bar(line)) return printable(without_rank(line));
  }
  return "";
}

}  // namespace dlscale::runner
