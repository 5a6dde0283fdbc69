// SPDX-License-Identifier: Apache-2.0
// The job scheduler of a machine without one: jobs wait until enough cores are free.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "runner/job_scheduler.hpp"

namespace dlscale::runner {
namespace {

/// How long a cancelled job may take to end by itself: mpirun needs some seconds for its ranks.
constexpr double kGrace_s = 8;
/// Marks all processes of a job, its MPI ranks too, with the path of its script.
constexpr const char* kMark = "DLSCALE_JOB";

class LocalScheduler : public JobScheduler {
 public:
  explicit LocalScheduler(const SchedulerSetup& setup) : setup_(setup) {}

  /// Jobs of this machine have nobody else to watch them, so none is left behind.
  ~LocalScheduler() override {
    for (const auto& [id, entry] : entries_) {
      if (entry.status.state == JobState::Running) kill_all(id, entry);
    }
  }

  JobId submit(const Job& job) override {
    const JobId id = job.script.string();
    entries_.insert_or_assign(id, Entry{job});
    queue_.push_back(id);
    start_what_fits();
    return id;
  }

  std::optional<JobId> find(const Job& job) override {
    const JobId id = job.script.string();
    if (processes_of(id).empty()) return std::nullopt;
    Entry entry{job};
    entry.status.state = JobState::Running;
    entry.status.reason = "still running from an earlier start";
    entries_.insert_or_assign(id, entry);
    return id;
  }

  std::vector<JobStatus> status(const std::vector<JobId>& ids) override {
    for (auto& [id, entry] : entries_) {
      if (entry.status.state == JobState::Running) look_at(id, entry);
    }
    start_what_fits();
    std::vector<JobStatus> answers;
    for (const JobId& id : ids) {
      const auto found = entries_.find(id);
      answers.push_back(found == entries_.end() ? JobStatus{JobState::Lost, {}, 0, "unknown job"}
                                                : found->second.status);
    }
    return answers;
  }

  void cancel(const std::vector<JobId>& ids) override {
    for (const JobId& id : ids) {
      const auto found = entries_.find(id);
      if (found != entries_.end()) cancel(id, found->second);
    }
  }

 private:
  struct Entry {
    Job job;
    JobStatus status = {};
    ProcessId process = 0;  ///< 0: not started by us
    std::optional<double> cancelled_at_s = {};
  };

  std::vector<ProcessId> processes_of(const JobId& id) const {
    return setup_.commands.find_by_environment(fmt::format("{}={}", kMark, id));
  }

  void kill_all(const JobId& id, const Entry& entry) const {
    if (entry.process != 0) setup_.commands.kill_group(entry.process);
    kill_leftovers(id);
  }

  /// Ranks have process groups of their own, so the job's group does not reach them all.
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

  /// Strictly in order, so that a wide job is not overtaken for ever. A job wider than the machine
  /// runs as well, but alone.
  void start_what_fits() {
    while (!queue_.empty()) {
      const int used = cores_in_use();
      Entry& next = entries_.at(queue_.front());
      if (used > 0 && used + next.job.cores > setup_.cores) return;
      start(queue_.front(), next);
      queue_.erase(queue_.begin());
    }
  }

  void start(const JobId& id, Entry& entry) {
    const Job& job = entry.job;
    entry.process = setup_.commands.start(
        {{"bash", job.script.string()}, job.folder, job.out, job.err, {{kMark, id}}});
    entry.status.state = JobState::Running;
    entry.status.reason = fmt::format("process group {}", entry.process);
  }

  void look_at(const JobId& id, Entry& entry) {
    if (entry.process == 0) {
      if (processes_of(id).empty()) end(entry, std::nullopt);
    } else if (const auto exit = setup_.commands.wait(entry.process, 0)) {
      kill_leftovers(id);
      end(entry, exit);
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
      status.reason = "ended while nobody watched";
    } else {
      status.state = status.exit_code == 0 ? JobState::Done : JobState::Failed;
    }
  }

  void cancel(const JobId& id, Entry& entry) {
    if (entry.status.state == JobState::Queued) {
      queue_.erase(std::remove(queue_.begin(), queue_.end(), id), queue_.end());
      entry.status.state = JobState::Cancelled;
    }
    if (entry.status.state != JobState::Running) return;
    if (entry.cancelled_at_s) {
      kill_all(id, entry);
      return;
    }
    entry.cancelled_at_s = setup_.clock.steady_s();
    // To the script alone, which passes it on: of two signals mpirun takes the second as a command
    // to leave its ranks no time for their last record. The script is the oldest process.
    const auto processes = entry.process != 0 ? std::vector{entry.process} : processes_of(id);
    if (!processes.empty()) setup_.commands.signal(processes.front(), SIGTERM);
  }

  SchedulerSetup setup_;
  std::map<JobId, Entry> entries_;
  std::vector<JobId> queue_;  ///< first come, first served
};

std::unique_ptr<JobScheduler> make(const SchedulerSetup& setup) {
  return std::make_unique<LocalScheduler>(setup);
}

}  // namespace

extern const JobSchedulerEntry local_entry;
const JobSchedulerEntry local_entry{"local", "runs jobs on this machine, as its cores allow",
                                    &make};

}  // namespace dlscale::runner
