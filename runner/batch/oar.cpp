// SPDX-License-Identifier: Apache-2.0
// Implements the job scheduler for OAR through OAR's commands. These commands run as user oar, so
// dlscale cannot kill them. Some commands retry forever while OAR's database is down. Therefore
// dlscale waits for every command only for a limited time.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/file.hpp"
#include "runner/batch/command_runner.hpp"
#include "runner/batch/oar_text.hpp"

namespace dlscale::runner {
namespace fs = std::filesystem;
namespace {

/// Largest number of job ids in a query. The operating system limits an argument to 128 KiB.
constexpr std::size_t kIdsAtOnce = 5000;
/// Exit codes of oarsub and oardel if OAR's server does not accept a connection. OAR's database has
/// recorded the request nevertheless.
constexpr int kNoServerToSubmit = 9, kNoServerToDelete = 2;

using Words = std::vector<std::string>;

/// Temporary parameter file that oarsub reads. The destructor removes the file.
class ParameterFile {
 public:
  ParameterFile(fs::path path, std::string_view content) : path_(std::move(path)) {
    base::write_file_atomically(path_, content);
  }
  ~ParameterFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  ParameterFile(const ParameterFile&) = delete;
  ParameterFile& operator=(const ParameterFile&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

class OarScheduler : public JobScheduler {
 public:
  explicit OarScheduler(const SchedulerSetup& setup) : setup_(setup) {}

  Submitted submit(const Job& job) override {
    wait_for_earlier(job);
    const std::string script = base::read_file(job.script);
    Words words{"oarsub", "-S", "-n", oar::job_name(job.name, job.launch), "-d", job.folder};
    for (const JobId& id : oar::single_jobs(job.after)) words.insert(words.end(), {"-a", id});
    if (!job.avoid.empty()) {
      words.insert(words.end(), {"-p", oar::properties(script, job.avoid)});
    }
    std::optional<ParameterFile> parameters;
    if (!job.tasks.empty()) {
      const fs::path planned = job.folder / oar::directive(script, "--array-param-file");
      parameters.emplace(
          job.script.parent_path() / fmt::format("{}.{}.tasks", job.name, job.launch),
          oar::chosen_parameters(base::read_file(planned), job.tasks));
      words.insert(words.end(), {"--array-param-file", parameters->path()});
    }
    words.push_back(job.script);
    const Answer answer = setup_.commands.run(command(words, job), setup_.patience_s);
    if (!answer.end) {
      pending_[job.launch] = answer.process;
      throw SchedulerUnreachable(
          fmt::format("oarsub has not answered for {} s", setup_.patience_s));
    }
    return submitted(job, answer);
  }

  std::optional<Submitted> find(const Job& job) override {
    wait_for_earlier(job);
    std::vector<oar::ListedJob> jobs =
        list(fmt::format("job_name = '{}'", oar::job_name(job.name, job.launch)));
    std::erase_if(jobs, [](const oar::ListedJob& one) { return !one.repeats.empty(); });
    if (jobs.empty()) return std::nullopt;
    // Tasks that OAR does not list keep the id 0.
    std::vector<JobId> ids(job.tasks.empty() ? 1 : job.tasks.size(), "0");
    for (const oar::ListedJob& one : jobs) {
      const auto position = static_cast<std::size_t>(std::max(one.array_index, 1) - 1);
      if (position < ids.size()) ids[position] = one.id;
    }
    return named(job, ids);
  }

  std::vector<JobStatus> status(const std::vector<JobId>& ids) override {
    const std::map<JobId, JobStatus> known = statuses(ids);
    std::vector<JobStatus> answers;
    for (const JobId& id : ids) {
      const auto found = known.find(id);
      answers.push_back(found == known.end()
                            ? JobStatus{JobState::Lost, {}, 0, "the job is no longer known to OAR"}
                            : found->second);
    }
    return answers;
  }

  /// Returns only the elapsed time of jobs. OAR does not record the resources that processes used.
  std::vector<JobUsage> usage(const std::vector<JobId>& ids) override {
    std::map<JobId, JobStatus> known = statuses(ids);
    std::vector<JobUsage> answers;
    for (const JobId& id : ids) {
      const JobStatus& status = known[id];
      JobUsage& usage = answers.emplace_back();
      if (status.started_at > 0 && status.ended_at > 0) {
        usage.elapsed_s = status.ended_at - status.started_at;
      }
    }
    return answers;
  }

  /// Cancels jobs. OAR kills running jobs at once, so a second call has the same effect.
  void cancel(const std::vector<JobId>& ids) override { order({"oardel"}, ids); }
  void hold(const std::vector<JobId>& ids) override { order({"oarhold"}, ids); }
  void release(const std::vector<JobId>& ids) override { order({"oarresume"}, ids); }
  void signal(const std::vector<JobId>& ids, int number) override {
    order({"oardel", "-s", std::to_string(number)}, ids);
  }

 private:
  static Command command(const Words& words, const Job& job) {
    return {words, job.folder, {}, {}, {{"LC_ALL", "C"}}, job.keep_open};
  }

  static Submitted named(const Job& job, const std::vector<JobId>& ids) {
    if (job.tasks.empty()) return {ids.front(), {}};
    return {oar::joined(ids), ids};
  }

  static Submitted submitted(const Job& job, const Answer& answer) {
    const std::vector<JobId> ids = oar::submitted_ids(answer.out);
    const std::size_t wanted = std::max<std::size_t>(job.tasks.size(), 1);
    if (*answer.end == ExitStatus{} && ids.size() == wanted) return named(job, ids);
    const std::string reason = oar::refusal_in(answer.err);
    if (answer.end->signal != 0 || answer.end->exit_code == kNoServerToSubmit || !ids.empty()) {
      throw SchedulerUnreachable(fmt::format("oarsub: {}", reason));
    }
    throw base::RunError(fmt::format("job {} was rejected: {}", job.name, reason));
  }

  /// Throws SchedulerUnreachable if an earlier oarsub for the same job timed out and still runs,
  /// because that oarsub may still submit the job.
  void wait_for_earlier(const Job& job) {
    const auto earlier = pending_.find(job.launch);
    if (earlier == pending_.end()) return;
    if (!setup_.commands.wait(earlier->second, 0)) {
      throw SchedulerUnreachable(fmt::format("oarsub for job {} has not answered yet", job.name));
    }
    pending_.erase(earlier);
  }

  Answer ask(const Words& words) {
    const Command command{
        words, "/", {}, {}, {{"LC_ALL", "C"}, {"OAR_OARSTAT_OUTPUT_FORMAT", "2"}}};
    return ask_program(setup_.commands, command, setup_.patience_s);
  }

  /// Returns the jobs that match an SQL condition on OAR's table of jobs, including ended jobs.
  std::vector<oar::ListedJob> list(const std::string& condition) {
    const Answer answer = ask({"oarstat", "-J", "-f", "--sql", condition});
    if (*answer.end != ExitStatus{}) {
      throw SchedulerUnreachable(fmt::format("oarstat: {}", oar::refusal_in(answer.err)));
    }
    return oar::parse_jobs(answer.out);
  }

  /// Returns the statuses of the jobs that OAR knows. If OAR runs a job again as a new job, the
  /// status of the old job contains the id of the new job.
  std::map<JobId, JobStatus> statuses(const std::vector<JobId>& ids) {
    std::map<JobId, JobStatus> known;
    for (std::size_t i = 0; i < ids.size(); i += kIdsAtOnce) {
      const auto first = ids.begin() + static_cast<long>(i);
      const auto last = ids.begin() + static_cast<long>(std::min(i + kIdsAtOnce, ids.size()));
      const std::string page = fmt::format("{}", fmt::join(first, last, ","));
      std::map<JobId, JobId> repeated_as;
      for (oar::ListedJob& job :
           list(fmt::format("job_id IN ({0}) OR resubmit_job_id IN ({0})", page))) {
        if (!job.repeats.empty()) repeated_as[job.repeats] = job.id;
        known.insert_or_assign(job.id, std::move(job.status));
      }
      for (const auto& [id, next] : repeated_as) {
        if (known.contains(id)) known[id].continued_as = next;
      }
    }
    return known;
  }

  /// Runs a command on each of the jobs. Ignores errors about jobs that are unknown or whose state
  /// no longer permits the command.
  void order(Words words, const std::vector<JobId>& ids) {
    if (ids.empty()) return;
    const std::string program = words[0];
    const std::vector<JobId> jobs = oar::single_jobs(ids);
    words.insert(words.end(), jobs.begin(), jobs.end());
    const Answer answer = ask(words);
    if (*answer.end == ExitStatus{}) return;
    const std::string objection = oar::first_objection(answer.err);
    if (objection.empty()) return;
    if (answer.end->signal != 0 || answer.end->exit_code == kNoServerToDelete) {
      throw SchedulerUnreachable(fmt::format("{}: {}", program, objection));
    }
    throw base::RunError(fmt::format("{}: {}", program, objection));
  }

  SchedulerSetup setup_;
  std::map<std::string, ProcessId> pending_;  ///< oarsub processes that timed out, by Job::launch
};

std::unique_ptr<JobScheduler> make(const SchedulerSetup& setup) {
  return std::make_unique<OarScheduler>(setup);
}

}  // namespace

extern const JobSchedulerEntry oar_entry;
const JobSchedulerEntry oar_entry{"oar", "submits jobs to OAR", &make};

}  // namespace dlscale::runner
