// SPDX-License-Identifier: Apache-2.0
#include "runner/status/flights.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace dlscale::runner {

Flights::Flights(const contract::Plan& plan, const contract::PlanDir& folder,
                 JobScheduler& scheduler, const base::Clock& clock, LaunchLog* log)
    : folder_(folder),
      scheduler_(scheduler),
      clock_(clock),
      log_(log),
      wishes_file_(folder.cancel_wishes()) {
  for (const contract::PlannedRun& run : plan.runs) planned_[run.run_id] = &run;
  hear_wishes();
}

void Flights::adopt(const Submission& submission) {
  if (submission.id.empty() || submission.is_over()) return;
  const bool shared = !submission.is_array && submission.runs.size() > 1;
  Flight flight{submission.launch, submission.job, submission.id, submission.id, {}, shared};
  flight.running_since_s = clock_.steady_s();
  const auto begin = [&] {
    flight.running = flight.runs.front().started;
    flight.cancelled = std::all_of(flight.runs.begin(), flight.runs.end(), [&](const auto& run) {
      return wishes_.contains({run.run_id, flight.launch});
    });
    for (const SubmittedRun& run : flight.runs) runs_.insert(run.run_id);
    jobs_.insert(flight.job);
    flights_.push_back(flight);
    flight.runs.clear();
  };
  for (const SubmittedRun& run : submission.runs) {
    if (run.ended) continue;
    flight.id = run.id;
    flight.runs.push_back(run);
    if (submission.is_array) begin();
  }
  if (!flight.runs.empty()) begin();
}

std::vector<JobId> Flights::ids_of(const std::string& job) const {
  std::vector<JobId> ids;
  for (const Flight& flight : flights_) {
    if (flight.job == job) ids.push_back(flight.whole == flight.id ? flight.id : flight.whole);
  }
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

void Flights::hear_wishes() {
  const std::vector<CancelWish> fresh = wishes_file_.fresh();
  if (fresh.empty()) return;
  wishes_.insert(fresh.begin(), fresh.end());
  for (Flight& flight : flights_) {
    for (const SubmittedRun& run : flight.runs) {
      if (wishes_.contains({run.run_id, flight.launch})) flight.cancelled = true;
    }
  }
}

std::vector<RunReport> Flights::look() {
  std::vector<JobId> ids;
  for (const Flight& flight : flights_) ids.push_back(flight.id);
  if (ids.empty()) return {};
  std::vector<std::size_t> waiting;
  for (std::size_t i = 0; i < flights_.size(); ++i) {
    if (!flights_[i].running) waiting.push_back(i);
  }
  hear_wishes();  // cancel requests first, because status() may start waiting jobs
  if (log_ != nullptr) end_wished(waiting);
  const std::vector<JobStatus> answers = scheduler_.status(ids);
  hear_wishes();  // cancel requests of jobs that the query reported as ended
  just_started_.clear();
  for (std::size_t i = 0; i < flights_.size(); ++i) {
    const bool ran = flights_[i].running;
    take_answer(flights_[i], answers.at(i));
    if (flights_[i].running && !ran) just_started_.push_back(i);
  }
  note_starts();
  if (log_ != nullptr) end_wished(waiting);
  std::vector<Flight> ended;
  for (const Flight& flight : flights_) {
    if (has_ended(flight.last.state)) ended.push_back(flight);
  }
  std::vector<RunReport> reports = settle(ended);
  forget(ended);
  return reports;
}

/// Cancels waiting jobs that have a cancel request. The program that recorded the request also
/// cancels jobs, but that program does not reach jobs that wait inside this program or that had no
/// id yet. Jobs that were running before are left alone, because a second request would kill them.
void Flights::end_wished(const std::vector<std::size_t>& waiting) {
  std::vector<JobId> ids;
  for (const std::size_t i : waiting) {
    const Flight& flight = flights_[i];
    const bool over = has_ended(flight.last.state) || flight.told_to_end;
    if (flight.cancelled && !over) ids.push_back(flight.id);
  }
  if (ids.empty()) return;
  scheduler_.cancel(ids);
  for (const std::size_t i : waiting) {
    if (flights_[i].cancelled) flights_[i].told_to_end = true;
  }
}

/// Applies a status to a job. A requeued job waits first, under its old id or under a new id.
void Flights::take_answer(Flight& flight, JobStatus status) {
  const bool renamed = !status.continued_as.empty();
  const bool waits_again = flight.running && status.state == JobState::Queued;
  if (renamed || waits_again) {
    if (renamed) {
      if (flight.whole == flight.id) flight.whole = status.continued_as;
      flight.id = status.continued_as;
      status.state = JobState::Queued;
    }
    flight.running = false;
    flight.last = std::move(status);
    note(record_of(flight, "requeued"));
    return;
  }
  const bool ran = status.state == JobState::Running || status.exit_code || status.signal != 0 ||
                   (has_ended(status.state) && status.started_at > 0);
  if (ran && !flight.running) {
    flight.running = true;
    flight.running_since_s = clock_.steady_s();
  }
  if (status.nodes.empty()) status.nodes = flight.last.nodes;
  flight.last = std::move(status);
}

void Flights::note(contract::LaunchRecord record) {
  if (log_ != nullptr) log_->append(std::move(record));
}

/// Returns a log record for a job. The record names the run unless several runs share the job.
contract::LaunchRecord Flights::record_of(const Flight& flight, const char* event) const {
  contract::LaunchRecord record;
  record.event = event;
  record.job = flight.job;
  record.launch = flight.launch;
  record.job_id = flight.id;
  record.nodes = flight.last.nodes;
  if (!flight.shared) record.run_id = flight.runs.front().run_id;
  return record;
}

/// Records the jobs that started since the last query. Array tasks of one submission share a
/// record.
void Flights::note_starts() {
  std::map<std::string, contract::LaunchRecord> records;  // records by launch
  for (const std::size_t i : just_started_) {
    const Flight& flight = flights_[i];
    const auto [found, is_first] = records.try_emplace(flight.launch, record_of(flight, "started"));
    if (is_first) continue;
    contract::LaunchRecord& record = found->second;
    if (!record.run_id.empty()) record.runs.push_back(std::exchange(record.run_id, {}));
    record.runs.push_back(flight.runs.front().run_id);
    record.job_id = flight.whole;
    record.nodes.clear();
  }
  for (auto& [launch, record] : records) note(std::move(record));
}

std::vector<JobUsage> Flights::usage_of(const std::vector<Flight>& ended) {
  std::vector<JobId> ids;
  for (const Flight& flight : ended) ids.push_back(flight.id);
  try {
    return scheduler_.usage(ids);
  } catch (const Unreachable&) {  // usage stays unknown, but the end is recorded
    return std::vector<JobUsage>(ids.size());
  }
}

std::vector<RunReport> Flights::settle(const std::vector<Flight>& ended) {
  std::vector<RunReport> reports;
  if (ended.empty()) return reports;
  const std::vector<JobUsage> usages = usage_of(ended);
  for (std::size_t i = 0; i < ended.size(); ++i) {
    for (const SubmittedRun& run : ended[i].runs) {
      reports.push_back(settle_run(ended[i], run, usages.at(i)));
    }
  }
  return reports;
}

RunReport Flights::settle_run(const Flight& flight, const SubmittedRun& run,
                              const JobUsage& usage) {
  contract::PlannedRun unplanned;  // run of an earlier plan
  unplanned.run_id = run.run_id;
  const auto planned = planned_.find(run.run_id);
  const JobStatus& status = flight.last;
  const JobEnd job{flight.job,       flight.launch,  run.earlier_launches, status,
                   flight.cancelled, flight.running, flight.shared};
  RunReport report{
      run.run_id, judge_run(folder_, planned == planned_.end() ? unplanned : *planned->second, job),
      flight.running ? clock_.steady_s() - flight.running_since_s : 0, run.earlier_launches};
  contract::LaunchRecord record = record_of(flight, "ended");
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

void Flights::forget(const std::vector<Flight>& ended) {
  for (const Flight& flight : ended) {
    jobs_.erase(jobs_.find(flight.job));
    for (const SubmittedRun& run : flight.runs) runs_.erase(run.run_id);
  }
  std::erase_if(flights_, [](const Flight& flight) { return has_ended(flight.last.state); });
}

void Flights::cancel_all() {
  std::vector<JobId> ids;
  for (Flight& flight : flights_) {
    flight.cancelled = true;
    flight.told_to_end = true;
    ids.push_back(flight.id);
  }
  scheduler_.cancel(ids);
}

std::vector<RunReport> Flights::give_up() {
  for (Flight& flight : flights_) {
    flight.last = {JobState::Cancelled, {}, 0, "cancelled; the end of the job was not confirmed"};
    flight.cancelled = true;
  }
  const std::vector<Flight> all = flights_;
  std::vector<RunReport> reports = settle(all);
  forget(all);
  return reports;
}

}  // namespace dlscale::runner
