// SPDX-License-Identifier: Apache-2.0
#include "runner/launch/submitter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runner/status/run_results.hpp"

namespace dlscale::runner {

Job describe_job(const contract::PlanDir& folder, const JobPart& part, const std::string& launch) {
  const contract::PlannedJob& planned = *part.job;
  const contract::ResourceRequest& asked = planned.resources;
  Job job;
  job.name = planned.name;
  job.launch = launch;
  job.script = folder.job_script(planned.name);
  job.folder = folder.root();
  job.out = folder.job_out(planned.name);
  job.err = folder.job_err(planned.name);
  job.cores = asked.nodes * asked.ranks_per_node * asked.cores_per_rank;
  if (asked.device != "cpu") job.gpus = asked.nodes * asked.ranks_per_node;
  if (planned.kind == contract::JobKind::array) {
    for (const std::string& run : part.runs) {
      const auto place = std::find(planned.run_ids.begin(), planned.run_ids.end(), run);
      job.tasks.push_back(static_cast<int>(place - planned.run_ids.begin()));
    }
    job.throttle = planned.throttle;
  }
  job.after = part.after;
  job.avoid = part.avoid;
  return job;
}

Submitter::Submitter(const contract::PlanDir& folder, const SubmitterParts& parts,
                     double settle_time_s)
    : folder_(folder), parts_(parts), young_s_(settle_time_s) {}

/// Returns the description of the job. The submitting command inherits the lock of the launch log.
/// If the command outlives this program, the lock therefore prevents other programs from
/// submitting.
Job Submitter::describe(const JobPart& part, const std::string& launch) const {
  Job job = describe_job(folder_, part, launch);
  job.keep_open = {parts_.log.descriptor()};
  return job;
}

int Submitter::last_launch(const std::string& run_id) const {
  const auto launches = folder_.run(run_id).launches();
  return launches.empty() ? 0 : launches.back().number();
}

std::optional<Submission> Submitter::submit(const JobPart& part) {
  contract::LaunchRecord intent;
  intent.event = "submitting";
  intent.job = part.job->name;
  intent.launch = parts_.new_launch();
  intent.runs = part.runs;
  for (const std::string& run : part.runs) {
    intent.launches.push_back(last_launch(run));
    if (part.repeat.contains(run)) intent.repeat.push_back(run);
  }
  const bool all_new = std::all_of(intent.launches.begin(), intent.launches.end(),
                                   [](int number) { return number == 0; });
  if (all_new) intent.launches.clear();
  if (parts_.describe_software) intent.software = parts_.describe_software();
  const Submission open = begun_by(parts_.log.append_safely(std::move(intent)));
  return hand_over(open, describe(part, open.launch), false);
}

std::optional<Submission> Submitter::resolve(const Submission& open,
                                             const contract::PlannedJob* job) {
  contract::PlannedJob gone;
  gone.name = open.job;
  JobPart part{job == nullptr ? &gone : job, {}};
  for (const SubmittedRun& run : open.runs) part.runs.push_back(run.run_id);
  const std::vector<std::string>& known = part.job->run_ids;
  const bool planned = std::all_of(part.runs.begin(), part.runs.end(), [&](const auto& run) {
    return std::find(known.begin(), known.end(), run) != known.end();
  });
  const Job described = describe(part, open.launch);
  wait_until_settled(open.asked_at);
  if (planned) return hand_over(open, described, true);
  std::optional<Submitted> found;
  if (!parts_.patience.ask([&] { found = find(open, described); })) return std::nullopt;
  if (found) return note_submitted(open, *found);
  note_refused(open, "the job is no longer in the plan");
  return std::nullopt;
}

/// Waits until the settle time of a submission has passed. The wait never exceeds the settle time,
/// even if a clock was changed after the submission.
void Submitter::wait_until_settled(double asked_at) const {
  const double age_s = std::max(parts_.waiting.clock.unix_s() - asked_at, 0.0);
  if (age_s < young_s_) wait_for(parts_.waiting, young_s_ - age_s);
}

std::optional<Submission> Submitter::hand_over(const Submission& open, const Job& job,
                                               bool may_be_there) {
  std::optional<Submitted> submitted;
  bool unanswered = false;
  const auto try_once = [&] {
    if (unanswered) {
      submitted = find_for_sure(open, job);
    } else if (may_be_there) {
      submitted = find(open, job);
    }
    if (submitted) return;
    unanswered = true;  // the answer is outstanding until submit() returns
    submitted = parts_.scheduler.submit(job);
  };
  try {
    if (!parts_.patience.ask(try_once)) return std::nullopt;
  } catch (const SchedulerUnreachable&) {
    throw;
  } catch (const SubmitLimitReached& refusal) {
    note_refused(open, refusal.what());
    throw;
  } catch (const base::RunError& refusal) {
    note_refused(open, refusal.what());
    throw JobRejected(refusal.what());
  }
  return note_submitted(open, *submitted);
}

/// Searches for the job of a submission. If the batch system no longer knows the job, the start
/// records of the job scripts still contain the job id.
std::optional<Submitted> Submitter::find(const Submission& open, const Job& job) {
  if (auto found = parts_.scheduler.find(job)) return found;
  constexpr const char* kNoJob = "0";  // id of a task without a start record
  Submitted traced;
  for (const SubmittedRun& run : open.runs) {
    const std::string id = read_run_notes(folder_, run.run_id, open.launch).job_id;
    if (!id.empty()) traced.id = id;
    if (!job.tasks.empty()) traced.tasks.push_back(id.empty() ? kNoJob : id);
  }
  if (traced.id.empty()) return std::nullopt;
  return traced;
}

/// Searches for the job of a submission, and searches again after the settle time. A batch system
/// that has just recovered may still be about to accept the earlier submission.
std::optional<Submitted> Submitter::find_for_sure(const Submission& open, const Job& job) {
  if (auto found = find(open, job)) return found;
  wait_for(parts_.waiting, young_s_);
  return find(open, job);
}

Submission Submitter::note_submitted(const Submission& open, const Submitted& submitted) {
  contract::LaunchRecord record;
  record.event = "submitted";
  record.job = open.job;
  record.launch = open.launch;
  record.job_id = submitted.id;
  record.task_ids = submitted.tasks;
  Submission taken = open;
  taken.take_ids(parts_.log.append(std::move(record)));
  return taken;
}

void Submitter::note_refused(const Submission& open, const std::string& reason) {
  contract::LaunchRecord record;
  record.event = "refused";
  record.job = open.job;
  record.launch = open.launch;
  record.reason = reason;
  parts_.log.append(std::move(record));
}

}  // namespace dlscale::runner
