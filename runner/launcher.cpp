// SPDX-License-Identifier: Apache-2.0
#include "runner/launcher.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "runner/run_results.hpp"

namespace dlscale::runner {

Launcher::Launcher(const contract::Plan& plan, const contract::PlanDir& folder,
                   const LauncherParts& parts, const LauncherOptions& options)
    : plan_(plan), folder_(folder), parts_(parts), options_(options) {}

LaunchReport Launcher::run() {
  look_back();
  while (!in_flight_.empty() || !waiting_.empty()) {
    if (parts_.stop_requests() > 0) {
      stop();
      break;
    }
    submit_up_to_window();
    poll();
    if (!in_flight_.empty()) parts_.pause(options_.poll_s);
  }
  return report_;
}

bool Launcher::has_work(const contract::PlannedJob& job) const {
  return std::any_of(job.run_ids.begin(), job.run_ids.end(), [&](const std::string& run_id) {
    return !read_run_results(folder_.run(run_id)).completed;
  });
}

/// Completed runs are found by their results. What an earlier launcher left open either still
/// runs, and is taken over, or has ended meanwhile, and is noted as ended.
void Launcher::look_back() {
  const auto submissions = last_submissions(parts_.log.records());
  progress_.total = static_cast<int>(plan_.runs.size());
  for (const contract::PlannedJob& job : plan_.jobs) {
    if (job.kind == contract::JobKind::array) {
      throw base::RunError(fmt::format(
          "job {} is an array, which a batch system spreads out; submit jobs/{}.sh to one, or plan "
          "for a local site",
          job.name, job.name));
    }
    const auto found = submissions.find(job.name);
    const bool taken_over = found != submissions.end() && take_over(job, found->second);
    const bool waits = !taken_over && has_work(job);
    if (waits) waiting_.push_back(&job);
    if (taken_over || waits) open_jobs_.insert(job.name);
  }
  for (const contract::PlannedRun& run : plan_.runs) {
    if (read_run_results(folder_.run(run.run_id)).completed) ++progress_.completed;
  }
}

/// True when the job still runs. An end that nobody has noted is noted.
bool Launcher::take_over(const contract::PlannedJob& job, const Submission& past) {
  if (past.ended_runs.size() >= job.run_ids.size()) return false;
  Flight flight = prepare(job, past.submitted_at);
  flight.running = past.started;
  if (const auto id = parts_.scheduler.find(describe(job))) {
    flight.id = *id;
    in_flight_.push_back(flight);
    return true;
  }
  const JobEnd lost{
      job.name, {JobState::Lost, {}, 0, ""}, false, past.started, flight.submitted_at};
  for (const FlightRun& run : flight.runs) {
    if (past.ended_runs.count(run.run_id)) continue;
    note_end(flight, run, judge_run(folder_, run.run_id, run.earlier_launches, lost));
  }
  return false;
}

Launcher::Flight Launcher::prepare(const contract::PlannedJob& job,
                                   std::optional<double> left_open_since) const {
  Flight flight{&job, {}, left_open_since.value_or(parts_.clock.unix_s())};
  flight.running_since_s = parts_.clock.steady_s();
  constexpr double kAnyTime = std::numeric_limits<double>::infinity();
  for (const std::string& run_id : job.run_ids) {
    const auto before = read_run_results(folder_.run(run_id), left_open_since.value_or(kAnyTime));
    if (!before.completed) flight.runs.push_back({run_id, before.launches});
  }
  return flight;
}

Job Launcher::describe(const contract::PlannedJob& job) const {
  const contract::ResourceRequest& asked = job.resources;
  return {job.name,
          folder_.job_script(job.name),
          folder_.root(),
          folder_.job_out(job.name),
          folder_.job_err(job.name),
          asked.nodes * asked.ranks_per_node * asked.cores_per_rank};
}

/// The first waiting job that waits for none; the end when all do.
std::deque<const contract::PlannedJob*>::iterator Launcher::next_free() {
  return std::find_if(waiting_.begin(), waiting_.end(), [&](const contract::PlannedJob* job) {
    return std::none_of(job->after.begin(), job->after.end(),
                        [&](const std::string& name) { return open_jobs_.contains(name); });
  });
}

void Launcher::submit_up_to_window() {
  while (!waiting_.empty() && static_cast<int>(in_flight_.size()) < options_.window) {
    const auto next = next_free();
    if (next == waiting_.end() && !in_flight_.empty()) return;
    if (next == waiting_.end()) {
      throw base::RunError(
          fmt::format("{} waits for {}, and none of the jobs that are left can start",
                      waiting_.front()->name, fmt::join(waiting_.front()->after, ", ")));
    }
    const contract::PlannedJob& job = **next;
    waiting_.erase(next);
    in_flight_.push_back(prepare(job, std::nullopt));
    contract::LaunchRecord record;
    record.event = "submitted";
    record.job = job.name;
    parts_.log.append(record);
    in_flight_.back().id = parts_.scheduler.submit(describe(job));
  }
}

std::vector<JobId> Launcher::ids_in_flight() const {
  std::vector<JobId> ids;
  for (const Flight& flight : in_flight_) ids.push_back(flight.id);
  return ids;
}

void Launcher::poll() {
  const std::vector<JobStatus> answers = parts_.scheduler.status(ids_in_flight());
  std::vector<Flight> still;
  progress_.running.clear();
  for (std::size_t i = 0; i < in_flight_.size(); ++i) {
    Flight& flight = in_flight_[i];
    const JobStatus& status = answers.at(i);
    const bool ran = status.state == JobState::Running || status.exit_code || status.signal != 0;
    if (ran && !flight.running) note_running(flight, status);
    if (has_ended(status.state)) {
      settle(flight, status);
      continue;
    }
    if (flight.running) {
      for (const FlightRun& run : flight.runs) progress_.running.push_back(run.run_id);
    }
    still.push_back(flight);
  }
  in_flight_ = std::move(still);
  parts_.observer.progressed(progress_);
}

void Launcher::note_running(Flight& flight, const JobStatus& status) {
  flight.running = true;
  flight.running_since_s = parts_.clock.steady_s();
  contract::LaunchRecord record;
  record.event = "started";
  record.job = flight.job->name;
  record.job_id = flight.id;
  if (status.state == JobState::Running) record.reason = status.reason;
  parts_.log.append(record);
}

void Launcher::settle(const Flight& flight, const JobStatus& status) {
  open_jobs_.erase(flight.job->name);
  const JobEnd job{flight.job->name, status, flight.cancelled, flight.running, flight.submitted_at};
  const double wall_s = flight.running ? parts_.clock.steady_s() - flight.running_since_s : 0;
  for (const FlightRun& run : flight.runs) {
    const RunEnd end = judge_run(folder_, run.run_id, run.earlier_launches, job);
    note_end(flight, run, end);
    if (end.outcome == contract::RunOutcome::Completed) {
      ++progress_.completed;
    } else if (end.outcome != contract::RunOutcome::Cancelled) {
      ++progress_.failed;
    }
    report_.ended.push_back({run.run_id, end, wall_s});
    parts_.observer.run_ended(report_.ended.back(), progress_);
  }
}

void Launcher::note_end(const Flight& flight, const FlightRun& run, const RunEnd& end) {
  contract::LaunchRecord record;
  record.event = "ended";
  record.job = flight.job->name;
  record.run_id = run.run_id;
  record.job_id = flight.id;
  record.outcome = end.outcome;
  record.exit_code = end.exit_code;
  record.reason = end.reason;
  parts_.log.append(record);
}

void Launcher::stop() {
  report_.stopped = true;
  const double since_s = parts_.clock.steady_s();
  for (Flight& flight : in_flight_) flight.cancelled = true;
  parts_.scheduler.cancel(ids_in_flight());
  bool killed = false;
  while (!in_flight_.empty() && parts_.clock.steady_s() - since_s < options_.give_up_s) {
    if (!killed && parts_.stop_requests() > 1) {
      parts_.scheduler.cancel(ids_in_flight());
      killed = true;
    }
    poll();
    if (!in_flight_.empty()) parts_.pause(options_.poll_s);
  }
  const JobStatus unconfirmed{JobState::Cancelled, {}, 0, "cancelled; its end was not confirmed"};
  for (const Flight& flight : in_flight_) settle(flight, unconfirmed);
  in_flight_.clear();
}

}  // namespace dlscale::runner
