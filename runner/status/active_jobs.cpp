// SPDX-License-Identifier: Apache-2.0
#include "runner/status/active_jobs.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace dlscale::runner {

ActiveJobs::ActiveJobs(const contract::Plan& plan, const contract::PlanDir& folder,
                       JobScheduler& scheduler, const base::Clock& clock, LaunchLog* log)
    : folder_(folder),
      scheduler_(scheduler),
      clock_(clock),
      log_(log),
      request_file_(folder.cancel_requests()) {
  for (const contract::PlannedRun& run : plan.runs) planned_[run.run_id] = &run;
  read_cancel_requests();
}

void ActiveJobs::track(const Submission& submission) {
  if (submission.id.empty() || submission.is_over()) return;
  const bool shared = !submission.is_array && submission.runs.size() > 1;
  ActiveJob active{submission.launch, submission.job, submission.id, submission.id, {}, shared};
  active.running_since_s = clock_.steady_s();
  const auto begin = [&] {
    active.running = active.runs.front().started;
    active.cancelled = std::all_of(active.runs.begin(), active.runs.end(), [&](const auto& run) {
      return cancel_requests_.contains({run.run_id, active.launch});
    });
    for (const SubmittedRun& run : active.runs) runs_.insert(run.run_id);
    jobs_.insert(active.job);
    active_jobs_.push_back(active);
    active.runs.clear();
  };
  for (const SubmittedRun& run : submission.runs) {
    if (run.ended) continue;
    active.id = run.id;
    active.runs.push_back(run);
    if (submission.is_array) begin();
  }
  if (!active.runs.empty()) begin();
}

std::vector<JobId> ActiveJobs::ids_of(const std::string& job) const {
  std::vector<JobId> ids;
  for (const ActiveJob& active : active_jobs_) {
    if (active.job == job) ids.push_back(active.whole == active.id ? active.id : active.whole);
  }
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

void ActiveJobs::read_cancel_requests() {
  const std::vector<CancelRequest> fresh = request_file_.fresh();
  if (fresh.empty()) return;
  cancel_requests_.insert(fresh.begin(), fresh.end());
  for (ActiveJob& active : active_jobs_) {
    for (const SubmittedRun& run : active.runs) {
      if (cancel_requests_.contains({run.run_id, active.launch})) active.cancelled = true;
    }
  }
}

std::vector<RunReport> ActiveJobs::poll() {
  std::vector<JobId> ids;
  for (const ActiveJob& active : active_jobs_) ids.push_back(active.id);
  if (ids.empty()) return {};
  std::vector<std::size_t> waiting;
  for (std::size_t i = 0; i < active_jobs_.size(); ++i) {
    if (!active_jobs_[i].running) waiting.push_back(i);
  }
  // Reads cancel requests first, because status() may start waiting jobs.
  read_cancel_requests();
  if (log_ != nullptr) end_cancelled(waiting);
  const std::vector<JobStatus> answers = scheduler_.status(ids);
  // Reads the requests that arrived during the query. The query may report their jobs as ended.
  read_cancel_requests();
  just_started_.clear();
  for (std::size_t i = 0; i < active_jobs_.size(); ++i) {
    const bool ran = active_jobs_[i].running;
    take_answer(active_jobs_[i], answers.at(i));
    if (active_jobs_[i].running && !ran) just_started_.push_back(i);
  }
  note_starts();
  if (log_ != nullptr) end_cancelled(waiting);
  std::vector<ActiveJob> ended;
  for (const ActiveJob& active : active_jobs_) {
    if (has_ended(active.last.state)) ended.push_back(active);
  }
  std::vector<RunReport> reports = finalize(ended);
  forget(ended);
  return reports;
}

/// Cancels waiting jobs that have a cancel request. The program that recorded the request also
/// cancels jobs. However, that program does not reach jobs that wait inside this program or that
/// had no id yet. Jobs that were already running are left alone, because a second request would
/// kill them.
void ActiveJobs::end_cancelled(const std::vector<std::size_t>& waiting) {
  std::vector<JobId> ids;
  for (const std::size_t i : waiting) {
    const ActiveJob& active = active_jobs_[i];
    const bool over = has_ended(active.last.state) || active.end_requested;
    if (active.cancelled && !over) ids.push_back(active.id);
  }
  if (ids.empty()) return;
  scheduler_.cancel(ids);
  for (const std::size_t i : waiting) {
    if (active_jobs_[i].cancelled) active_jobs_[i].end_requested = true;
  }
}

/// Applies a status to a job. A requeued job becomes a waiting job again, under its old id or a new
/// id.
void ActiveJobs::take_answer(ActiveJob& active, JobStatus status) {
  const bool renamed = !status.continued_as.empty();
  const bool waits_again = active.running && status.state == JobState::Queued;
  if (renamed || waits_again) {
    if (renamed) {
      if (active.whole == active.id) active.whole = status.continued_as;
      active.id = status.continued_as;
      status.state = JobState::Queued;
    }
    active.running = false;
    active.last = std::move(status);
    note(record_of(active, "requeued"));
    return;
  }
  const bool ran = status.state == JobState::Running || status.exit_code || status.signal != 0 ||
                   (has_ended(status.state) && status.started_at > 0);
  if (ran && !active.running) {
    active.running = true;
    active.running_since_s = clock_.steady_s();
  }
  if (status.nodes.empty()) status.nodes = active.last.nodes;
  active.last = std::move(status);
}

void ActiveJobs::note(contract::LaunchRecord record) {
  if (log_ != nullptr) log_->append(std::move(record));
}

/// Returns a log record for a job. If only one run belongs to the job, the record contains its run
/// id.
contract::LaunchRecord ActiveJobs::record_of(const ActiveJob& active, const char* event) const {
  contract::LaunchRecord record;
  record.event = event;
  record.job = active.job;
  record.launch = active.launch;
  record.job_id = active.id;
  record.nodes = active.last.nodes;
  if (!active.shared) record.run_id = active.runs.front().run_id;
  return record;
}

/// Records the jobs that started since the last query. The array tasks of one submission are
/// recorded together.
void ActiveJobs::note_starts() {
  std::map<std::string, contract::LaunchRecord> records;  // records by launch
  for (const std::size_t i : just_started_) {
    const ActiveJob& active = active_jobs_[i];
    const auto [found, is_first] = records.try_emplace(active.launch, record_of(active, "started"));
    if (is_first) continue;
    contract::LaunchRecord& record = found->second;
    if (!record.run_id.empty()) record.runs.push_back(std::exchange(record.run_id, {}));
    record.runs.push_back(active.runs.front().run_id);
    record.job_id = active.whole;
    record.nodes.clear();
  }
  for (auto& [launch, record] : records) note(std::move(record));
}

std::vector<JobUsage> ActiveJobs::usage_of(const std::vector<ActiveJob>& ended) {
  std::vector<JobId> ids;
  for (const ActiveJob& active : ended) ids.push_back(active.id);
  try {
    return scheduler_.usage(ids);
  } catch (const SchedulerUnreachable&) {  // the usage stays unknown, but the end is recorded
    return std::vector<JobUsage>(ids.size());
  }
}

std::vector<RunReport> ActiveJobs::finalize(const std::vector<ActiveJob>& ended) {
  std::vector<RunReport> reports;
  if (ended.empty()) return reports;
  const std::vector<JobUsage> usages = usage_of(ended);
  for (std::size_t i = 0; i < ended.size(); ++i) {
    for (const SubmittedRun& run : ended[i].runs) {
      reports.push_back(finalize_run(ended[i], run, usages.at(i)));
    }
  }
  return reports;
}

RunReport ActiveJobs::finalize_run(const ActiveJob& active, const SubmittedRun& run,
                                   const JobUsage& usage) {
  contract::PlannedRun unplanned;  // run of an earlier plan
  unplanned.run_id = run.run_id;
  const auto planned = planned_.find(run.run_id);
  const JobStatus& status = active.last;
  const JobEnd job{active.job,       active.launch,  run.earlier_launches, status,
                   active.cancelled, active.running, active.shared};
  RunReport report{
      run.run_id, judge_run(folder_, planned == planned_.end() ? unplanned : *planned->second, job),
      active.running ? clock_.steady_s() - active.running_since_s : 0, run.earlier_launches};
  contract::LaunchRecord record = record_of(active, "ended");
  record.run_id = run.run_id;
  record.outcome = report.end.outcome;
  record.exit_code = report.end.exit_code;
  record.reason = report.end.reason;
  const bool timed = status.started_at > 0 && status.ended_at >= status.started_at;
  record.elapsed_s = usage.elapsed_s.value_or(timed ? status.ended_at - status.started_at : 0);
  record.peak_memory_bytes = static_cast<double>(usage.peak_memory_bytes.value_or(0));
  note(std::move(record));
  return report;
}

void ActiveJobs::forget(const std::vector<ActiveJob>& ended) {
  for (const ActiveJob& active : ended) {
    jobs_.erase(jobs_.find(active.job));
    for (const SubmittedRun& run : active.runs) runs_.erase(run.run_id);
  }
  std::erase_if(active_jobs_, [](const ActiveJob& active) { return has_ended(active.last.state); });
}

void ActiveJobs::cancel_all() {
  std::vector<JobId> ids;
  for (ActiveJob& active : active_jobs_) {
    active.cancelled = true;
    active.end_requested = true;
    ids.push_back(active.id);
  }
  scheduler_.cancel(ids);
}

std::vector<RunReport> ActiveJobs::abandon() {
  for (ActiveJob& active : active_jobs_) {
    active.last = {JobState::Cancelled, {}, 0, "cancelled; the end of the job was not confirmed"};
    active.cancelled = true;
  }
  const std::vector<ActiveJob> all = active_jobs_;
  std::vector<RunReport> reports = finalize(all);
  forget(all);
  return reports;
}

}  // namespace dlscale::runner
