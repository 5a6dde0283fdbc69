// SPDX-License-Identifier: Apache-2.0
#include "runner/status/launch_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace dlscale::runner {

// The descriptor is closed when another program is executed, so a job that outlives its launcher
// does not keep the lock.
LaunchLog::Lock::Lock(const std::filesystem::path& path)
    : descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (descriptor < 0) {
    throw base::RunError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
  }
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return;
  const int error = errno;
  ::close(descriptor);
  if (error == EWOULDBLOCK) {
    throw LogTaken(fmt::format(
        "another dlscale is running the jobs of {}; wait until it is done, or stop it first",
        path.parent_path().string()));
  }
  throw base::RunError(fmt::format("cannot lock {}: {}", path.string(), std::strerror(error)));
}

LaunchLog::Lock::~Lock() {
  ::close(descriptor);
}

LaunchLog::LaunchLog(const std::filesystem::path& path, const base::Clock& clock)
    : path_(path),
      lock_(path),
      clock_(clock),
      file_(path),
      records_(contract::parse_launch_log(base::read_file(path))) {}

bool is_taken(const std::filesystem::path& log) {
  const int descriptor = ::open(log.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool taken = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return taken;
}

const contract::LaunchRecord& LaunchLog::append(contract::LaunchRecord record) {
  record.time = clock_.unix_s();
  file_.append(contract::to_json_line(record));
  return records_.emplace_back(std::move(record));
}

const contract::LaunchRecord& LaunchLog::append_safely(contract::LaunchRecord record) {
  const contract::LaunchRecord& noted = append(std::move(record));
  if (::fdatasync(lock_.descriptor) == 0) return noted;
  throw base::RunError(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
}

bool Submission::is_over() const {
  return refused || (!id.empty() && std::all_of(runs.begin(), runs.end(),
                                                [](const SubmittedRun& run) { return run.ended; }));
}

void Submission::take_ids(const contract::LaunchRecord& record) {
  id = record.job_id;
  is_array = !record.task_ids.empty();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].id = is_array && i < record.task_ids.size() ? record.task_ids[i] : record.job_id;
  }
}

Submission begun_by(const contract::LaunchRecord& record) {
  Submission submission;
  submission.launch = record.launch;
  submission.job = record.job;
  submission.asked_at = record.time;
  for (std::size_t i = 0; i < record.runs.size(); ++i) {
    const int earlier = i < record.launches.size() ? record.launches[i] : 0;
    submission.runs.push_back({record.runs[i], {}, earlier});
  }
  return submission;
}

LaunchHistory::LaunchHistory(const std::vector<contract::LaunchRecord>& records) {
  for (const contract::LaunchRecord& record : records) add_record(record);
}

const LoggedRun* LaunchHistory::last_entry(const std::string& run_id) const {
  const auto found = words_.find(run_id);
  return found == words_.end() ? nullptr : &found->second.said;
}

void LaunchHistory::add_record(const contract::LaunchRecord& record) {
  if (record.event == "submitting") return begin(record);
  const auto found = by_launch_.find(record.launch);
  if (found == by_launch_.end()) return;  // first record of the submission is unreadable
  Submission& submission = submissions_[found->second];
  if (record.event == "submitted") {
    submission.take_ids(record);
    for (const SubmittedRun& run : submission.runs) words_[run.run_id].said.id = run.id;
  } else if (record.event == "refused") {
    submission.refused = true;
    for (const SubmittedRun& run : submission.runs) words_.erase(run.run_id);
  } else {
    tell(submission, record);
  }
}

void LaunchHistory::begin(const contract::LaunchRecord& record) {
  if (!by_launch_.try_emplace(record.launch, submissions_.size()).second) return;
  const Submission& submission = submissions_.emplace_back(begun_by(record));
  for (std::size_t i = 0; i < submission.runs.size(); ++i) {
    Word& word = words_[submission.runs[i].run_id];
    const int before = word.said.submissions;
    word = {};
    word.place = i;
    word.said.launch = record.launch;
    word.said.submissions = before + 1;
    word.said.submitted_at = record.time;
    word.said.software = record.software;
  }
}

SubmittedRun* LaunchHistory::run_in(Submission& submission, const std::string& run_id) {
  const auto word = words_.find(run_id);
  if (word != words_.end() && word->second.place < submission.runs.size()) {
    SubmittedRun& run = submission.runs[word->second.place];
    if (run.run_id == run_id) return &run;
  }
  const auto found = std::find_if(submission.runs.begin(), submission.runs.end(),
                                  [&](const SubmittedRun& run) { return run.run_id == run_id; });
  return found == submission.runs.end() ? nullptr : &*found;
}

/// Applies a record to the runs that it names, or to all runs of the job if it names no runs.
void LaunchHistory::tell(Submission& submission, const contract::LaunchRecord& record) {
  if (record.run_id.empty() && record.runs.empty()) {
    for (SubmittedRun& run : submission.runs) tell_run(run, record);
  }
  const auto tell_named = [&](const std::string& name) {
    if (SubmittedRun* run = run_in(submission, name)) tell_run(*run, record);
  };
  if (!record.run_id.empty()) tell_named(record.run_id);
  for (const std::string& name : record.runs) tell_named(name);
}

void LaunchHistory::tell_run(SubmittedRun& run, const contract::LaunchRecord& record) {
  if (record.event == "started") {
    run.started = true;
  } else if (record.event == "requeued") {
    run.started = false;
    if (!record.job_id.empty()) run.id = record.job_id;
  } else if (record.event == "ended") {
    run.ended = true;
  }
  LoggedRun& word = words_[run.run_id].said;
  // Ignores the state in a record of an earlier submission of the run.
  if (word.launch != record.launch) return;
  if (!record.nodes.empty()) word.nodes = record.nodes;
  word.id = run.id;
  if (record.event == "started") {
    word.state = JobState::Running;
    word.started_at = record.time;
  } else if (record.event == "requeued") {
    word.state = JobState::Queued;
  } else if (record.event == "ended") {
    word.state = record.outcome ? state_of(*record.outcome) : JobState::Failed;
    word.ended_at = record.time;
    word.exit_code = record.exit_code;
    word.reason = record.reason;
    word.elapsed_s = record.elapsed_s;
    word.peak_memory_bytes = record.peak_memory_bytes;
  }
}

}  // namespace dlscale::runner
