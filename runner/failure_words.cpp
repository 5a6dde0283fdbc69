// SPDX-License-Identifier: Apache-2.0
// size: the table has a row for each known message
#include "runner/failure_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace dlscale::runner {
namespace {

using contract::RunOutcome;

constexpr std::size_t kLongestReason = 300;  // bytes
constexpr std::size_t kLookedAt = 4096;      // bytes of a line
// Lines between two messages of one failure: a rank's stack trace fits. What lies further before is
// something that the program survived.
constexpr std::size_t kWidestGap = 200;

/// Where the reason begins in its line.
enum class From { line, match };

/// A message: the line contains all `parts`, in this order.
struct Message {
  Certainty certainty;
  std::array<std::string_view, 3> parts;
  std::optional<RunOutcome> outcome = {};
  From from = From::match;
};

constexpr auto kMemory = RunOutcome::OutOfMemory;

// The first that fits a line counts. Sources: slurm (slurmstepd, srun, proctrack/cgroup), the
// kernel (mm/oom_kill.c), PyTorch (c10, c10d, elastic), TensorFlow and XLA, Open MPI (orterun,
// PRRTE), MPICH (Hydra), Open PBS, LSF, DeepSpeed's launcher, Horovod.
constexpr Message kMessages[] = {
    // Scheduler: why it ended the job.
    {Certainty::verdict, {"slurmstepd", "DUE TO TIME LIMIT"}, RunOutcome::TimedOut},
    {Certainty::verdict, {"CANCELLED AT ", "DUE TO TIME LIMIT"}, RunOutcome::TimedOut, From::line},
    {Certainty::verdict, {"PBS: job killed: walltime"}, RunOutcome::TimedOut},
    {Certainty::verdict, {"TERM_RUNLIMIT"}, RunOutcome::TimedOut},
    {Certainty::verdict, {"slurmstepd", "DUE TO PREEMPTION"}, RunOutcome::Preempted},
    {Certainty::verdict, {"CANCELLED AT ", "DUE TO PREEMPTION"}, RunOutcome::Preempted, From::line},
    {Certainty::verdict, {"slurmstepd", "DUE TO NODE FAILURE"}, RunOutcome::NodeFailed},
    {Certainty::verdict, {"DUE TO NODE FAILURE"}, RunOutcome::NodeFailed, From::line},
    {Certainty::verdict, {"srun: error: Node failure on"}, RunOutcome::NodeFailed},
    // Memory of the host: batch system and kernel.
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
    // Memory of the host: the program.
    {Certainty::verdict, {"RuntimeError: ", "DefaultCPUAllocator", "memory"}, kMemory},
    {Certainty::verdict, {"DefaultCPUAllocator", "memory"}, kMemory, From::line},
    {Certainty::verdict, {"std::bad_alloc"}, kMemory, From::line},
    {Certainty::verdict, {"Cannot allocate memory"}, kMemory, From::line},
    {Certainty::verdict, {"orker", "out of shared memory"}, kMemory, From::line},
    {Certainty::verdict, {"_ArrayMemoryError"}, kMemory},
    // Memory of the GPU.
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
    {Certainty::verdict, {"cudaMalloc failed: out of memory"}, kMemory, From::line},
    {Certainty::verdict, {"CUBLAS_STATUS_ALLOC_FAILED"}, kMemory, From::line},
    {Certainty::verdict, {"RESOURCE_EXHAUSTED"}, kMemory},
    {Certainty::verdict, {"ResourceExhaustedError"}, kMemory},
    {Certainty::verdict, {"OOM when allocating"}, kMemory, From::line},
    // Processes that lost another one, or whose child failed.
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
    // What is written while processes are stopped.
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
    // A collective that ran out of time.
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
    // A program that received a signal, and says so.
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
    // Launchers that name the signal of a process.
    {Certainty::killed, {"noticed that process rank", "signal "}, {}, From::line},
    {Certainty::killed, {"received by PID"}, {}, From::line},
    {Certainty::killed, {"KILLED BY SIGNAL: "}},
    {Certainty::killed, {"(exitcode: -"}, {}, From::line},
    {Certainty::killed, {"exitcode ", ": -"}},
    {Certainty::killed, {"exits with return code = -"}},
    {Certainty::killed, {"srun: error: ", "Killed"}},
    {Certainty::killed, {"srun: error: ", "Aborted"}},
    {Certainty::killed, {"Process received signal"}, {}, From::line},
    {Certainty::killed, {"died with <Signals."}, {}, From::line},
    {Certainty::killed, {": line ", " Killed "}, {}, From::line},
    {Certainty::killed, {"Aborted (core dumped)"}, {}, From::line},
    // Launchers that say that a process ended.
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
    // Errors that Python does not raise.
    {Certainty::error, {"No such file or directory"}, {}, From::line},
    {Certainty::error, {"command not found"}, {}, From::line},
    {Certainty::error, {"No space left on device"}, {}, From::line},
    {Certainty::error, {"Disk quota exceeded"}, {}, From::line},
    {Certainty::error, {"cannot open shared object file"}, {}, From::line},
    {Certainty::error, {": error: "}, {}, From::line},
};

/// Words for errors in lower case, for lines that no message fits.
constexpr std::string_view kErrorWords[] = {"error", "fatal",  "fail",    "cannot", "can't",
                                            "abort", "refuse", "invalid", "denied", "missing"};
/// Words of lines that warn of an error or describe one.
constexpr std::string_view kWarningWords[] = {"warning", "avoid", " may ", "might",
                                              "could",   "try ",  "hint",  "if you"};

constexpr std::string_view kTrainer = "dlscale-train: ";

std::string lower(std::string_view line) {
  std::string text(line);
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

template <class Words>
bool has_any(const std::string& line, const Words& words) {
  return std::any_of(std::begin(words), std::end(words),
                     [&](std::string_view word) { return line.find(word) != std::string::npos; });
}

bool says_something(std::string_view line) {
  return std::any_of(line.begin(), line.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c >= 0x80; });
}

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
}

/// Where the word begins that `at` is in.
std::size_t word_at(std::string_view line, std::size_t at) {
  while (at > 0 && is_of_name(line[at - 1])) --at;
  return at;
}

/// Where the message begins in the line; npos: the line has another.
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

/// Where the name of a Python exception begins that a line raises ("ValueError: …",
/// "a.b.Exception"), behind what launchers put in front of lines; npos without one.
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
  const std::size_t first = text.find_first_not_of(' ');
  if (first == text.npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// What one line says, its reason not yet made printable.
struct Found {
  std::size_t line = 0;
  std::string_view reason;
  Certainty certainty = Certainty::none;
  std::optional<RunOutcome> outcome;
};

/// A line that no message fits.
Found by_words(std::string_view line) {
  const std::string text = lower(line);
  const bool warns = has_any(text, kWarningWords);
  if (!warns && (text.find("out of memory") != text.npos || text.find("oom-kill") != text.npos ||
                 text.find("oom_kill") != text.npos)) {
    return {0, line, Certainty::verdict, kMemory};
  }
  if (!warns && line.starts_with(kTrainer)) return {0, line, Certainty::error, {}};
  if (!warns && has_any(text, kErrorWords)) return {0, line, Certainty::words, {}};
  return {0, line, Certainty::last_line, {}};
}

Found read_line(std::string_view line) {
  line = line.substr(0, kLookedAt);
  for (const Message& message : kMessages) {
    const std::size_t at = find(message, line);
    if (at == line.npos) continue;
    if (message.certainty == Certainty::verdict && has_any(lower(line), kWarningWords) &&
        line.find("Error") == line.npos && line.find("error") == line.npos) {
      continue;
    }
    std::size_t begin = message.from == From::line ? 0 : word_at(line, at);
    if (const std::size_t exception = find_exception(line); exception < at) begin = exception;
    return {0, line.substr(begin), message.certainty, message.outcome};
  }
  const std::size_t exception = find_exception(line);
  if (exception == line.npos) return by_words(line);
  const std::string_view reason = line.substr(exception);
  const bool is_memory = reason.starts_with("MemoryError");
  return {0, reason, is_memory ? Certainty::verdict : Certainty::error,
          is_memory ? std::optional(kMemory) : std::nullopt};
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

/// True for certainties of which the first line counts: other ranks repeat it.
bool first_counts(Certainty certainty) {
  return certainty >= Certainty::killed;
}

/// mpirun's notice of a signal is wrapped.
std::string with_next(const Found& found, const std::vector<std::string_view>& lines) {
  std::string reason(found.reason);
  const bool is_wrapped = found.reason.find("noticed that process rank") != found.reason.npos &&
                          found.reason.find("signal") == found.reason.npos;
  if (is_wrapped && found.line + 1 < lines.size()) reason.append(" ").append(lines[found.line + 1]);
  return printable(reason);
}

}  // namespace

FailureWords find_failure(std::string_view text) {
  const std::vector<std::string_view> lines = lines_of(text);
  Found best;
  std::size_t last_message = lines.size();
  for (std::size_t i = lines.size(); i-- > 0;) {
    if (!says_something(lines[i])) continue;
    if (last_message - i > kWidestGap) break;
    Found found = read_line(lines[i]);
    found.line = i;
    if (found.certainty != Certainty::last_line) last_message = i;
    const bool is_better = found.certainty > best.certainty ||
                           (found.certainty == best.certainty && first_counts(found.certainty));
    if (is_better) best = found;
  }
  if (best.certainty == Certainty::none) return {};
  return {with_next(best, lines), best.certainty, best.outcome};
}

}  // namespace dlscale::runner
