// SPDX-License-Identifier: Apache-2.0
// Implements the job scheduler for a machine without a batch system, where jobs wait until enough
// cores and GPUs are free.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/error.hpp"
#include "runner/batch/job_scheduler.hpp"

namespace dlscale::runner {
namespace {

/// Seconds that a cancelled job may take to end by itself. mpirun needs some seconds to end its
/// ranks.
constexpr double kGrace_s = 8;
/// Environment variable that marks all processes of a job, including MPI ranks, with the job id.
/// The job id is the token of the submission.
constexpr const char* kMark = "DLSCALE_JOB";

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

class LocalScheduler : public JobScheduler {
 public:
  explicit LocalScheduler(const SchedulerSetup& setup) : setup_(setup) {}

  /// Kills the running jobs that this program started, because no other program would observe them.
  ~LocalScheduler() override {
    for (const auto& [id, entry] : entries_) {
      const bool ours = entry.process != 0;
      if (ours && entry.status.state == JobState::Running) kill_all(id, entry);
    }
  }

  Submitted submit(const Job& job) override {
    if (!job.tasks.empty()) {
      throw base::RunError(
          fmt::format("job {} is a job array, which needs a batch system; plan the study again for "
                      "a local site",
                      job.name));
    }
    entries_.insert_or_assign(job.launch, Entry{job});
    queue_.push_back(job.launch);
    start_what_fits();
    return {job.launch, {}};
  }

  std::optional<Submitted> find(const Job& job) override {
    if (!entries_.contains(job.launch)) {
      if (processes_of(job.launch).empty()) return std::nullopt;
      adopt(job.launch, job);
    }
    return Submitted{job.launch, {}};
  }

  std::vector<JobStatus> status(const std::vector<JobId>& ids) override {
    for (auto& [id, entry] : entries_) {
      if (entry.status.state == JobState::Running) look_at(id, entry);
    }
    start_what_fits();
    std::vector<JobStatus> answers;
    for (const JobId& id : ids) {
      const auto found = known(id);
      answers.push_back(found == entries_.end() ? JobStatus{JobState::Lost, {}, 0, "unknown job"}
                                                : found->second.status);
    }
    return answers;
  }

  std::vector<JobUsage> usage(const std::vector<JobId>& ids) override {
    std::vector<JobUsage> answers;
    for (const JobId& id : ids) {
      JobUsage& answer = answers.emplace_back();
      const auto found = entries_.find(id);
      if (found == entries_.end()) continue;
      const Entry& entry = found->second;
      if (!has_ended(entry.status.state) || entry.process == 0) continue;
      const ProcessUsage usage = setup_.commands.usage(entry.process);
      answer = {entry.status.ended_at - entry.status.started_at, usage.cpu_s,
                usage.peak_memory_bytes};
    }
    return answers;
  }

  void cancel(const std::vector<JobId>& ids) override {
    for (const JobId& id : ids) {
      const auto found = known(id);
      if (found != entries_.end()) cancel(id, found->second);
    }
  }

  void hold(const std::vector<JobId>& ids) override {
    held_.insert(ids.begin(), ids.end());
    say_what_is_held();
  }

  void release(const std::vector<JobId>& ids) override {
    for (const JobId& id : ids) held_.erase(id);
    say_what_is_held();
    start_what_fits();
  }

  void signal(const std::vector<JobId>& ids, int number) override {
    for (const JobId& id : ids) {
      const auto found = known(id);
      if (found != entries_.end()) signal_script(id, found->second, number);
    }
  }

 private:
  struct Entry {
    Job job;
    JobStatus status = {};
    ProcessId process = 0;               ///< process of the script; 0 = started by another program
    std::vector<std::string> gpus = {};  ///< GPUs assigned to the job
    std::optional<double> cancelled_at_s = {};
  };
  using Entries = std::map<JobId, Entry>;

  std::vector<ProcessId> processes_of(const JobId& id) const {
    return setup_.commands.find_by_environment(fmt::format("{}={}", kMark, id));
  }

  /// Returns the entry of a job. A job that an earlier program started is recognised by its running
  /// processes.
  Entries::iterator known(const JobId& id) {
    const auto found = entries_.find(id);
    if (found != entries_.end() || processes_of(id).empty()) return found;
    return adopt(id, {});
  }

  /// Adds a running job that an earlier program started. It is unknown which GPUs the job uses, so
  /// all GPUs count as used while the job runs.
  Entries::iterator adopt(const JobId& id, const Job& job) {
    Entry entry{job};
    entry.status.state = JobState::Running;
    entry.status.reason = "still running, started by an earlier dlscale process";
    entry.status.nodes = {host_name()};
    entry.gpus = setup_.gpus;
    return entries_.insert_or_assign(id, entry).first;
  }

  void kill_all(const JobId& id, const Entry& entry) const {
    if (entry.process != 0) setup_.commands.kill_group(entry.process);
    kill_leftovers(id);
  }

  /// Kills the remaining processes of a job. Ranks have their own process groups, so killing the
  /// process group of the script does not reach all ranks.
  void kill_leftovers(const JobId& id) const {
    for (ProcessId process : processes_of(id)) setup_.commands.kill_group(process);
  }

  int cores_in_use() const {
    int used = 0;
    for (const auto& [id, entry] : entries_) {
      if (entry.status.state == JobState::Running) used += entry.job.cores;
    }
    return used;
  }

  std::vector<std::string> free_gpus() const {
    std::set<std::string> taken;
    for (const auto& [id, entry] : entries_) {
      if (entry.status.state == JobState::Running) {
        taken.insert(entry.gpus.begin(), entry.gpus.end());
      }
    }
    std::vector<std::string> free = setup_.gpus;
    std::erase_if(free, [&](const std::string& gpu) { return taken.contains(gpu); });
    return free;
  }

  bool may_start(const JobId& id, const Job& job) const {
    if (held_.contains(id)) return false;
    return std::none_of(job.after.begin(), job.after.end(), [&](const JobId& other) {
      const auto found = entries_.find(other);
      return found != entries_.end() && !has_ended(found->second.status.state);
    });
  }

  /// Starts waiting jobs in the order of their submission. Held jobs and jobs that wait for other
  /// jobs are skipped. No job overtakes a job that may start but needs more free cores or GPUs.
  /// Otherwise such a job could wait forever. A job that needs more than the whole machine runs
  /// alone.
  void start_what_fits() {
    for (auto next = queue_.begin(); next != queue_.end();) {
      Entry& entry = entries_.at(*next);
      if (!may_start(*next, entry.job)) {
        ++next;
        continue;
      }
      const int used = cores_in_use();
      std::vector<std::string> gpus = free_gpus();
      const bool fits =
          used + entry.job.cores <= setup_.cores && static_cast<int>(gpus.size()) >= entry.job.gpus;
      if (used > 0 && !fits) return;
      gpus.resize(std::min(gpus.size(), static_cast<std::size_t>(entry.job.gpus)));
      entry.gpus = gpus;
      start(*next, entry);
      next = queue_.erase(next);
    }
  }

  void start(const JobId& id, Entry& entry) {
    const Job& job = entry.job;
    Command command{{"bash", job.script.string(), id}, job.folder, job.out, job.err, {{kMark, id}}};
    if (!setup_.gpus.empty()) {
      command.environment["CUDA_VISIBLE_DEVICES"] = fmt::format("{}", fmt::join(entry.gpus, ","));
    }
    entry.process = setup_.commands.start(command);
    entry.status.state = JobState::Running;
    entry.status.reason = fmt::format("process group {}", entry.process);
    entry.status.started_at = setup_.clock.unix_s();
    entry.status.nodes = {host_name()};
  }

  void look_at(const JobId& id, Entry& entry) {
    if (entry.process == 0) {
      if (processes_of(id).empty()) end(entry, std::nullopt);
    } else if (const auto exit = setup_.commands.wait(entry.process, 0)) {
      kill_leftovers(id);
      end(entry, exit);
      entry.status.ended_at = setup_.clock.unix_s();
    }
    const bool over_grace =
        entry.cancelled_at_s && setup_.clock.steady_s() - *entry.cancelled_at_s >= kGrace_s;
    if (over_grace && entry.status.state == JobState::Running) kill_all(id, entry);
  }

  static void end(Entry& entry, const std::optional<ExitStatus>& exit) {
    JobStatus& status = entry.status;
    status.reason.clear();
    if (exit && exit->signal != 0) {
      status.signal = exit->signal;
      status.reason = fmt::format("killed by signal {}", exit->signal);
    } else if (exit) {
      status.exit_code = exit->exit_code;
    }
    if (entry.cancelled_at_s) {
      status.state = JobState::Cancelled;
    } else if (!exit) {
      status.state = JobState::Lost;
      status.reason = "ended while no dlscale process was running";
    } else {
      status.state = status.exit_code == 0 ? JobState::Done : JobState::Failed;
    }
  }

  void cancel(const JobId& id, Entry& entry) {
    if (entry.status.state == JobState::Queued) {
      queue_.erase(std::remove(queue_.begin(), queue_.end(), id), queue_.end());
      entry.status.state = JobState::Cancelled;
      entry.status.ended_at = setup_.clock.unix_s();
    }
    if (entry.status.state != JobState::Running) return;
    if (entry.cancelled_at_s) {
      kill_all(id, entry);
      return;
    }
    entry.cancelled_at_s = setup_.clock.steady_s();
    // Only the script receives the signal, and the script forwards the signal. mpirun treats a
    // second signal as an order to end its ranks before they write their last record.
    signal_script(id, entry, SIGTERM);
  }

  /// Sends a signal to the job script, which is the oldest process of the job.
  void signal_script(const JobId& id, const Entry& entry, int number) const {
    if (entry.status.state != JobState::Running) return;
    const auto processes = entry.process != 0 ? std::vector{entry.process} : processes_of(id);
    if (!processes.empty()) setup_.commands.signal(processes.front(), number);
  }

  void say_what_is_held() {
    for (const JobId& id : queue_) {
      entries_.at(id).status.reason = held_.contains(id) ? "held" : "";
    }
  }

  SchedulerSetup setup_;
  Entries entries_;
  std::vector<JobId> queue_;  ///< ids of waiting jobs in order of submission
  std::set<JobId> held_;
};

std::unique_ptr<JobScheduler> make(const SchedulerSetup& setup) {
  return std::make_unique<LocalScheduler>(setup);
}

}  // namespace

extern const JobSchedulerEntry local_entry;
const JobSchedulerEntry local_entry{
    "local", "runs jobs on this machine, as many at a time as its cores and GPUs permit", &make};

}  // namespace dlscale::runner
