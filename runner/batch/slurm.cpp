// SPDX-License-Identifier: Apache-2.0
// Implements the job scheduler for SLURM through SLURM's commands.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/file.hpp"
#include "runner/batch/command_runner.hpp"
#include "runner/batch/scheduler_error.hpp"
#include "runner/batch/slurm_text.hpp"

namespace dlscale::runner {
namespace {

/// Largest number of job ids on a command line. The operating system limits an argument to 128 KiB.
constexpr std::size_t kIdsAtOnce = 5000;
/// Start of the period for which find() searches SLURM's accounting.
constexpr const char* kFirstDay = "now-30days";

using Words = std::vector<std::string>;

class SlurmScheduler : public JobScheduler {
 public:
  explicit SlurmScheduler(const SchedulerSetup& setup) : setup_(setup) {}

  Submitted submit(const Job& job) override {
    Answer answer = sbatch(job);
    if (slurm::says_too_many(answer.err)) {
      const bool is_several = job.tasks.size() > 1;
      if (is_several || has_jobs()) throw SubmitLimitReached(refusal_of(job, answer));
      answer = sbatch(job);  // retry, because the other jobs may just have ended
    }
    const JobId id = slurm::submitted_id(answer.out);
    if (*answer.end == ExitStatus{} && !id.empty()) return named(id, job);
    fail_unless_reached(answer, "sbatch");
    throw base::RunError(refusal_of(job, answer));
  }

  std::optional<Submitted> find(const Job& job) override {
    for (const slurm::QueuedJob& queued : queue()) {
      if (queued.comment.find(job.launch) == std::string::npos) continue;
      if (slurm::was_refused(queued.status.state, queued.status.nodes.empty())) continue;
      return named(queued.whole, job);
    }
    const std::string books = books_of({"-X", "-u", setup_.user, "-S", kFirstDay,
                                        fmt::format("--format={}", slurm::kCommentFormat)});
    const JobId id = slurm::find_comment(books, job.launch);
    return id.empty() ? std::nullopt : std::optional(named(id, job));
  }

  std::vector<JobStatus> status(const std::vector<JobId>& ids) override {
    std::map<JobId, JobStatus> known;
    for (slurm::QueuedJob& job : queue()) known.insert_or_assign(job.id, std::move(job.status));
    Words gone;
    for (const JobId& id : ids) {
      if (!known.contains(id)) gone.push_back(id);
    }
    for (const std::string& books : books_of(gone, {"-X"}, slurm::kBookFormat)) {
      known.merge(slurm::parse_books(books));
    }
    std::vector<JobStatus> answers;
    for (const JobId& id : ids) {
      const auto found = known.find(id);
      answers.push_back(
          found == known.end()
              ? JobStatus{JobState::Lost, {}, 0, "the job is no longer known to SLURM"}
              : found->second);
    }
    return answers;
  }

  std::vector<JobUsage> usage(const std::vector<JobId>& ids) override {
    std::map<JobId, JobUsage> known;
    for (const std::string& books : books_of(ids, {"--noconvert"}, slurm::kUsageFormat)) {
      known.merge(slurm::parse_usage(books));
    }
    std::vector<JobUsage> answers;
    for (const JobId& id : ids) answers.push_back(known[id]);
    return answers;
  }

  void cancel(const std::vector<JobId>& ids) override {
    Words asked, killed;
    for (const JobId& id : ids) (cancelled_.insert(id).second ? asked : killed).push_back(id);
    order({"scancel"}, asked);
    order({"scancel", "--full", "--signal=KILL"}, killed);
  }

  void hold(const std::vector<JobId>& ids) override { order({"scontrol", "hold"}, ids); }
  void release(const std::vector<JobId>& ids) override { order({"scontrol", "release"}, ids); }
  void signal(const std::vector<JobId>& ids, int number) override {
    order({"scancel", "--batch", fmt::format("--signal={}", number)}, ids);
  }

 private:
  static Submitted named(const JobId& id, const Job& job) {
    Submitted submitted{id, {}};
    for (const int task : job.tasks) submitted.tasks.push_back(fmt::format("{}_{}", id, task));
    return submitted;
  }

  Answer sbatch(const Job& job) {
    Words words{"sbatch", "--parsable", "--comment=" + job.launch};
    if (!job.tasks.empty()) words.push_back(slurm::array_option(job.tasks, job.throttle));
    if (!job.after.empty()) {
      words.push_back(slurm::dependency_option(base::read_file(job.script), job.after));
    }
    if (!job.avoid.empty()) words.push_back(fmt::format("--exclude={}", fmt::join(job.avoid, ",")));
    words.push_back(job.script);
    words.push_back(job.launch);
    // The job inherits the environment of sbatch, so sbatch gets the clean environment without
    // additions.
    const Command command{words, job.folder, {}, {}, {}, job.keep_open};
    return ask_program(setup_.commands, command, setup_.patience_s);
  }

  /// Returns whether the user has waiting or running jobs, including jobs of other plan folders.
  bool has_jobs() {
    const std::vector<slurm::QueuedJob> jobs = queue();
    return std::any_of(jobs.begin(), jobs.end(),
                       [](const auto& job) { return !has_ended(job.status.state); });
  }

  static std::string refusal_of(const Job& job, const Answer& answer) {
    return fmt::format("job {} was rejected: {}", job.name, complaint_of(answer));
  }

  static std::string complaint_of(const Answer& answer) {
    const bool is_silent = answer.err.find_first_not_of(" \n\r\t") == std::string::npos;
    const std::string reason = scheduler_error(is_silent ? answer.out : answer.err);
    return reason.empty() ? "SLURM gave no reason" : reason;
  }

  static void fail_unless_reached(const Answer& answer, const std::string& program) {
    if (answer.end->signal != 0) {
      throw SchedulerUnreachable(
          fmt::format("{} was killed by signal {}", program, answer.end->signal));
    }
    if (slurm::says_unreachable(answer.err)) {
      throw SchedulerUnreachable(fmt::format("{}: {}", program, complaint_of(answer)));
    }
  }

  Answer ask(const Words& words) {
    const Command command{words, "/", {}, {}, {{"LC_ALL", "C"}, {"SLURM_TIME_FORMAT", "%s"}}};
    return ask_program(setup_.commands, command, setup_.patience_s);
  }

  /// Returns the jobs of this user, including jobs that ended a short time ago. The query does not
  /// name job ids. If a single id were unknown, squeue would report none of the jobs.
  std::vector<slurm::QueuedJob> queue() {
    const Answer answer = ask({"squeue", "--noheader", "--array", "--states=all", "-u", setup_.user,
                               fmt::format("--Format={}", slurm::kQueueFormat)});
    if (*answer.end != ExitStatus{}) {
      throw SchedulerUnreachable(fmt::format("squeue: {}", complaint_of(answer)));
    }
    return slurm::parse_queue(answer.out);
  }

  /// Returns the output of sacct, or an empty string if sacct fails, for example without
  /// accounting.
  std::string books_of(const Words& more) {
    Words words{"sacct", "--noheader", "--parsable2"};
    words.insert(words.end(), more.begin(), more.end());
    const Answer answer = ask(words);
    return *answer.end == ExitStatus{} ? answer.out : "";
  }

  std::vector<std::string> books_of(const std::vector<JobId>& ids, const Words& options,
                                    const char* format) {
    std::vector<std::string> pages;
    const std::vector<JobId> jobs = slurm::whole_jobs(ids);
    for (std::size_t i = 0; i < jobs.size(); i += kIdsAtOnce) {
      const auto end = jobs.begin() + static_cast<long>(std::min(i + kIdsAtOnce, jobs.size()));
      Words more = options;
      more.push_back(fmt::format("--format={}", format));
      more.push_back(
          fmt::format("--jobs={}", fmt::join(jobs.begin() + static_cast<long>(i), end, ",")));
      pages.push_back(books_of(more));
    }
    return pages;
  }

  /// Runs a command on each of the jobs. Ignores errors about jobs that are unknown or whose state
  /// no longer permits the command.
  void order(Words words, const std::vector<JobId>& ids) {
    if (ids.empty()) return;
    const std::string program = words[0];
    words.insert(words.end(), ids.begin(), ids.end());
    const Answer answer = ask(words);
    if (*answer.end == ExitStatus{}) return;
    fail_unless_reached(answer, program);
    const std::string objection = slurm::first_objection(answer.err);
    if (!objection.empty()) throw base::RunError(objection);
  }

  SchedulerSetup setup_;
  std::set<JobId> cancelled_;
};

std::unique_ptr<JobScheduler> make(const SchedulerSetup& setup) {
  return std::make_unique<SlurmScheduler>(setup);
}

}  // namespace

extern const JobSchedulerEntry slurm_entry;
const JobSchedulerEntry slurm_entry{"slurm", "submits jobs to SLURM", &make};

}  // namespace dlscale::runner
