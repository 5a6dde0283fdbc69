// SPDX-License-Identifier: Apache-2.0
// Fake batch system whose jobs have the states that a test sets.
#pragma once

#include <functional>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "runner/batch/job_scheduler.hpp"

namespace dlscale::test {

class FakeScheduler : public runner::JobScheduler {
 public:
  runner::Submitted submit(const runner::Job& job) override {
    if (refuse) throw base::RunError("the queue is closed");
    if (unreachable) throw runner::SchedulerUnreachable("the batch system is down");
    if (on_submit) on_submit(job);
    submitted.push_back(job.name);
    described.push_back(job);
    const runner::Submitted answer = named(job);
    for (const auto& id : job.tasks.empty() ? std::vector{answer.id} : answer.tasks) {
      jobs[id] = {runner::JobState::Running, {}, 0, "on node7"};
    }
    return answer;
  }
  std::optional<runner::Submitted> find(const runner::Job& job) override {
    if (unreachable) throw runner::SchedulerUnreachable("the batch system is down");
    const runner::Submitted answer = named(job);
    const runner::JobId& one = answer.tasks.empty() ? answer.id : answer.tasks[0];
    return jobs.count(one) ? std::optional(answer) : std::nullopt;
  }
  std::vector<runner::JobStatus> status(const std::vector<runner::JobId>& ids) override {
    if (on_status) on_status();
    if (unreachable) throw runner::SchedulerUnreachable("the batch system is down");
    most_asked = std::max(most_asked, ids.size());
    std::vector<runner::JobStatus> answers;
    for (const auto& id : ids) answers.push_back(jobs.at(id));
    return answers;
  }
  std::vector<runner::JobUsage> usage(const std::vector<runner::JobId>& ids) override {
    std::vector<runner::JobUsage> answers;
    for (const auto& id : ids) answers.push_back(used[id]);
    return answers;
  }
  void cancel(const std::vector<runner::JobId>& ids) override { cancelled.push_back(ids); }
  void hold(const std::vector<runner::JobId>& ids) override { held.push_back(ids); }
  void release(const std::vector<runner::JobId>& ids) override { released.push_back(ids); }
  void signal(const std::vector<runner::JobId>& ids, int number) override {
    for (const auto& id : ids) signals.emplace_back(id, number);
  }

  void end(const std::string& job, int exit_code) {
    const auto state = exit_code == 0 ? runner::JobState::Done : runner::JobState::Failed;
    jobs.at("id-" + job) = {state, exit_code, 0, ""};
  }

  /// Returns ids made from the job name: id-a, and id-a_0 and so on for the tasks of an array.
  static runner::Submitted named(const runner::Job& job) {
    runner::Submitted answer{"id-" + job.name, {}};
    for (const int task : job.tasks) {
      answer.tasks.push_back(answer.id + "_" + std::to_string(task));
    }
    return answer;
  }

  std::map<runner::JobId, runner::JobStatus> jobs;
  std::map<runner::JobId, runner::JobUsage> used;
  std::vector<std::string> submitted;  ///< names of jobs
  std::vector<runner::Job> described;  ///< submitted jobs
  std::vector<std::vector<runner::JobId>> cancelled, held, released;
  std::vector<std::pair<runner::JobId, int>> signals;
  std::size_t most_asked = 0;
  bool refuse = false;
  bool unreachable = false;
  std::function<void(const runner::Job&)> on_submit;
  std::function<void()> on_status;  ///< hook that runs before each answer
};

}  // namespace dlscale::test
