// SPDX-License-Identifier: Apache-2.0
#include "runner/launch/launcher.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "runner/status/run_results.hpp"
#include "runner/status/run_states.hpp"

namespace dlscale::runner {
namespace {

/// Maximum number of launches of a run of an external program, whose progress the launcher cannot
/// see.
constexpr int kMostLaunches = 20;
/// Seconds after which the launcher submits again to a scheduler that has reached its limit,
/// because other jobs of the user may have ended. The launcher submits earlier if one of its own
/// jobs ends.
constexpr double kFull_s = 60;

}  // namespace

Launcher::Launcher(const contract::Plan& plan, const contract::PlanDir& folder, LauncherParts parts,
                   const LauncherOptions& options)
    : plan_(plan),
      folder_(folder),
      parts_(std::move(parts)),
      options_(options),
      retry_policy_(parts_.waiting, options.unreachable_s,
                    [this](const std::string& line) { parts_.observer.told(line); }),
      submitter_(folder_,
                 {parts_.scheduler, parts_.log, parts_.waiting, retry_policy_, parts_.new_launch,
                  parts_.describe_software},
                 options.settle_time_s),
      active_jobs_(plan, folder, parts_.scheduler, parts_.waiting.clock, &parts_.log),
      cancel_requests_(folder.cancel_requests()) {
  cancel_requests_.fresh();  // discards requests for earlier submissions
}

LaunchReport Launcher::run(const LaunchOrders& orders) {
  look_back(orders);
  while (true) {
    if (parts_.waiting.stop_requests() > 0) {
      stop();
      break;
    }
    drop_cancelled();
    if (!submit_what_fits()) continue;
    if (options_.until != Until::ended && finished()) break;
    if (!poll()) continue;
    if (finished()) break;
    wait_for(parts_.waiting, options_.poll_s);
  }
  for (const Waiter& waiter : waiting_) report_.waiting += static_cast<int>(waiter.runs.size());
  for (const ActiveJob& active : active_jobs_.all()) {
    report_.queued += static_cast<int>(active.runs.size());
  }
  return report_;
}

/// Restores the state that earlier launchers left. Follows the jobs that still run, records the end
/// of jobs that have ended, and determines whether interrupted submissions reached the scheduler.
void Launcher::look_back(const LaunchOrders& orders) {
  const LaunchHistory history(parts_.log.records());
  for (const contract::PlannedRun& run : plan_.runs) {
    const LoggedRun* word = history.last_entry(run.run_id);
    if (word == nullptr || word->state != JobState::NodeFailed) continue;
    if (word->nodes.size() == 1) bad_nodes_[run.run_id] = word->nodes[0];
  }
  followed_ = orders.follow;
  followed_.insert(orders.submit.begin(), orders.submit.end());
  std::set<std::string> to_submit = orders.submit;
  if (!resolve(history, to_submit)) return;
  repeat_ = orders.repeat;
  completed_before_ = completed_external_runs(plan_, folder_, run_states(plan_, folder_, history));
  for (const std::string& run : followed_) {
    if (!active_jobs_.has_run(run) && is_completed(run)) completed_.insert(run);
  }
  if (poll()) enqueue(to_submit);
}

/// Returns whether a run needs no further launch.
bool Launcher::is_completed(const std::string& run) const {
  if (repeat_.contains(run)) return false;
  return completed_before_.contains(run) || read_run_results(folder_.run(run)).completed;
}

/// Resolves the open submissions in the log. If the scheduler does not accept a job at present
/// because of its limit, adds the job's runs to `to_submit`. Returns false if a stop was requested.
bool Launcher::resolve(const LaunchHistory& history, std::set<std::string>& to_submit) {
  std::map<std::string, const contract::PlannedJob*> jobs;
  for (const contract::PlannedJob& job : plan_.jobs) jobs[job.name] = &job;
  for (const Submission& open : history.submissions()) {
    if (open.is_over()) continue;
    if (!open.id.empty()) {
      active_jobs_.track(open);
      continue;
    }
    const auto job = jobs.find(open.job);
    std::optional<Submission> found;
    try {
      found = submitter_.resolve(open, job == jobs.end() ? nullptr : job->second);
    } catch (const SubmitLimitReached& refusal) {
      take_note_of_limit(refusal, 1);
      for (const SubmittedRun& run : open.runs) to_submit.insert(run.run_id);
      continue;
    } catch (const JobRejected& refusal) {
      std::vector<std::string> runs;
      for (const SubmittedRun& run : open.runs) runs.push_back(run.run_id);
      for (const std::string& run : runs) to_submit.erase(run);
      take_refusal(refusal, open.job, runs);
      continue;
    }
    if (found) {
      parts_.observer.submitted(*found);
      active_jobs_.track(*found);
    } else if (parts_.waiting.stop_requests() > 0) {
      return false;
    }
  }
  return true;
}

/// Adds those of the given runs to the queue that are neither completed nor part of a submitted
/// job, in the order of the plan. A packed job starts all of its remaining runs, so all of these
/// runs are submitted together.
void Launcher::enqueue(const std::set<std::string>& runs) {
  for (const contract::PlannedJob& job : plan_.jobs) {
    const auto waits = [&](const Waiter& waiter) { return waiter.job == &job; };
    Waiter waiter{&job, {}};
    bool asked = false;
    for (const std::string& run : job.run_ids) {
      const bool meant = runs.contains(run);
      if (completed_.contains(run) || active_jobs_.has_run(run)) continue;
      if (!meant && job.kind != contract::JobKind::packed) continue;
      asked = asked || meant;
      if (!meant && is_completed(run)) continue;
      waiter.runs.push_back(run);
    }
    if (!asked) continue;
    for (const std::string& run : waiter.runs) failed_.erase(run);
    followed_.insert(waiter.runs.begin(), waiter.runs.end());
    const auto old = std::find_if(waiting_.begin(), waiting_.end(), waits);
    if (old == waiting_.end()) {
      waiting_.push_back(std::move(waiter));
    } else {
      old->runs.insert(old->runs.end(), waiter.runs.begin(), waiter.runs.end());
    }
  }
}

/// Removes runs with a cancel request from the queue.
void Launcher::drop_cancelled() {
  std::set<std::string> to_cancel;
  for (const CancelRequest& request : cancel_requests_.fresh()) {
    if (request.launch.empty()) to_cancel.insert(request.run_id);
  }
  if (to_cancel.empty()) return;
  for (Waiter& waiter : waiting_) {
    std::erase_if(waiter.runs, [&](const std::string& run) { return to_cancel.contains(run); });
  }
  waiting_.remove_if([](const Waiter& waiter) { return waiter.runs.empty(); });
}

int Launcher::room() const {
  int window = options_.window > 0 ? options_.window : std::numeric_limits<int>::max();
  if (parts_.waiting.clock.steady_s() < most_until_s_) window = std::min(window, most_);
  return window - static_cast<int>(active_jobs_.all().size());
}

/// Records that the batch system rejected the runs of a job. The batch system often rejects many
/// jobs for the same reason, so equal reasons are recorded once.
void Launcher::take_refusal(const JobRejected& refusal, const std::string& job,
                            const std::vector<std::string>& runs) {
  report_.refused.insert(runs.begin(), runs.end());
  const std::string prefix = fmt::format("job {} was rejected: ", job);
  const std::string words = refusal.what();
  report_.refusals.insert(words.starts_with(prefix) ? words.substr(prefix.size()) : words);
}

/// Lowers the assumed limit of the scheduler on submitted jobs. The scheduler does not report its
/// limit, so the launcher retries with half as many tasks.
void Launcher::take_note_of_limit(const SubmitLimitReached& refusal, int asked) {
  if (most_until_s_ < 0) {
    parts_.observer.told(
        fmt::format("{}; waiting until the scheduler accepts more jobs", refusal.what()));
  }
  most_ = static_cast<int>(active_jobs_.all().size()) + asked / 2;
  most_until_s_ = parts_.waiting.clock.steady_s() + kFull_s;
}

/// Returns the ids of the submitted jobs that must end before `job` starts. The scheduler then
/// makes `job` wait for them. Returns nullopt if `job` cannot be submitted yet.
std::optional<std::vector<JobId>> Launcher::predecessors(const contract::PlannedJob& job) const {
  std::vector<JobId> ids;
  for (const std::string& name : job.after) {
    const bool waits = std::any_of(waiting_.begin(), waiting_.end(),
                                   [&](const Waiter& waiter) { return waiter.job->name == name; });
    const std::vector<JobId> open = active_jobs_.ids_of(name);
    if (waits || (!open.empty() && !options_.hand_over_chains)) return std::nullopt;
    ids.insert(ids.end(), open.begin(), open.end());
  }
  return ids;
}

/// Submits queued runs until the window or the assumed limit of the scheduler is reached. Returns
/// false if a stop was requested. Throws base::RunError if none of the queued jobs can ever start.
bool Launcher::submit_what_fits() {
  for (auto waiter = waiting_.begin(); waiter != waiting_.end() && room() > 0;) {
    if (!submit_part(*waiter)) return false;
    waiter = waiter->runs.empty() ? waiting_.erase(waiter) : std::next(waiter);
    if (parts_.waiting.stop_requests() > 0) return false;
  }
  if (waiting_.empty() || !active_jobs_.all().empty() || room() <= 0) return true;
  const contract::PlannedJob& first = *waiting_.front().job;
  throw base::RunError(fmt::format("job {} waits for {}, and none of the remaining jobs can start",
                                   first.name, fmt::join(first.after, ", ")));
}

/// Submits the runs of a queued job and removes them from `waiter`. For an array, submits as many
/// tasks as the window and the assumed limit allow. Submits nothing while another part of the job
/// runs, or while the job must wait for other jobs. Returns false if a stop was requested.
bool Launcher::submit_part(Waiter& waiter) {
  const contract::PlannedJob& job = *waiter.job;
  const bool array = job.kind == contract::JobKind::array;
  if (!array && active_jobs_.has_job(job.name)) return true;
  const auto after = predecessors(job);
  if (!after) return true;
  const std::size_t all = waiter.runs.size();
  const std::size_t count = array ? std::min(all, static_cast<std::size_t>(room())) : all;
  const auto end = waiter.runs.begin() + static_cast<std::ptrdiff_t>(count);
  const std::vector<std::string> runs(waiter.runs.begin(), end);
  std::optional<Submission> submission;
  try {
    submission = submitter_.submit({&job, runs, *after, nodes_to_avoid(runs), repeat_});
  } catch (const SubmitLimitReached& refusal) {
    take_note_of_limit(refusal, array ? static_cast<int>(count) : 1);
    return room() <= 0 || submit_part(waiter);
  } catch (const JobRejected& refusal) {
    take_refusal(refusal, job.name, waiter.runs);
    waiter.runs.clear();
    return true;
  }
  if (!submission) return false;
  waiter.runs.erase(waiter.runs.begin(), end);
  active_jobs_.track(*submission);
  ++report_.submitted;
  parts_.observer.submitted(*submission);
  return true;
}

std::vector<std::string> Launcher::nodes_to_avoid(const std::vector<std::string>& runs) const {
  std::vector<std::string> nodes = options_.avoid;
  for (const std::string& run : runs) {
    const auto bad = bad_nodes_.find(run);
    if (bad == bad_nodes_.end()) continue;
    if (std::find(nodes.begin(), nodes.end(), bad->second) == nodes.end()) {
      nodes.push_back(bad->second);
    }
  }
  return nodes;
}

/// Queries the state of all jobs and processes the runs that have ended. Returns false if a stop
/// was requested before the scheduler answered.
bool Launcher::poll() {
  std::vector<RunReport> reports;
  if (!retry_policy_.ask([&] { reports = active_jobs_.poll(); })) return false;
  std::set<std::string> again;
  for (const RunReport& report : reports) {
    take_end(report);
    if (goes_on(report)) again.insert(report.run_id);
  }
  if (!again.empty()) enqueue(again);
  parts_.observer.progressed(progress());
  return true;
}

void Launcher::take_end(const RunReport& report) {
  if (!followed_.contains(report.run_id)) return;
  const contract::RunOutcome outcome = report.end.outcome;
  const bool good = outcome == contract::RunOutcome::Completed;
  const bool stopped = outcome == contract::RunOutcome::Cancelled;
  (good ? completed_ : stopped ? cancelled_ : failed_).insert(report.run_id);
  report_.ended.push_back(report);
  parts_.observer.run_ended(report, progress());
}

bool Launcher::goes_on(const RunReport& report) const {
  if (!followed_.contains(report.run_id)) return false;
  if (report.end.outcome != contract::RunOutcome::Preempted) return false;
  const RunResults results = read_run_results(folder_.run(report.run_id));
  if (results.launches <= report.earlier_launches) return false;
  if (results.start) return results.saved_step > results.start->resumed_step;
  return results.launches < kMostLaunches;
}

bool Launcher::finished() {
  if (options_.until == Until::looked) return true;
  if (!waiting_.empty()) return false;
  if (options_.until == Until::handed_over) return true;
  for (const ActiveJob& active : active_jobs_.all()) {
    const bool followed =
        std::any_of(active.runs.begin(), active.runs.end(),
                    [&](const SubmittedRun& run) { return followed_.contains(run.run_id); });
    if (followed) return false;
  }
  if (parts_.more) enqueue(parts_.more());
  return waiting_.empty();
}

Progress Launcher::progress() const {
  Progress now;
  now.completed = static_cast<int>(completed_.size());
  now.failed = static_cast<int>(failed_.size());
  for (const Waiter& waiter : waiting_) now.waiting += static_cast<int>(waiter.runs.size());
  for (const ActiveJob& active : active_jobs_.all()) {
    for (const SubmittedRun& run : active.runs) {
      if (!followed_.contains(run.run_id)) continue;
      if (active.running) now.running.push_back(run.run_id);
      if (!active.running) ++now.queued;
    }
  }
  now.total = now.completed + now.failed + now.waiting + now.queued +
              static_cast<int>(now.running.size() + cancelled_.size());
  return now;
}

void Launcher::stop() {
  report_.stopped = true;
  if (!options_.stop_jobs || active_jobs_.all().empty()) return;
  const double since_s = parts_.waiting.clock.steady_s();
  active_jobs_.cancel_all();
  bool killed = false;
  while (!active_jobs_.all().empty() &&
         parts_.waiting.clock.steady_s() - since_s < options_.give_up_s) {
    if (!killed && parts_.waiting.stop_requests() > 1) {
      active_jobs_.cancel_all();
      killed = true;
    }
    for (const RunReport& report : active_jobs_.poll()) take_end(report);
    parts_.observer.progressed(progress());
    if (!active_jobs_.all().empty()) parts_.waiting.pause(options_.poll_s);
  }
  for (const RunReport& report : active_jobs_.abandon()) take_end(report);
}

}  // namespace dlscale::runner
