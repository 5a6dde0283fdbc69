// SPDX-License-Identifier: Apache-2.0
// A batch system that exists only in a test: jobs are in the state the test gives them.
#pragma once

#include <functional>
#include <map>

#include "base/error.hpp"
#include "runner/job_scheduler.hpp"

namespace dlscale::test {

class FakeScheduler : public runner::JobScheduler {
 public:
  runner::JobId submit(const runner::Job& job) override {
    if (refuse) throw base::RunError("the queue is closed");
    if (on_submit) on_submit(job);
    submitted.push_back(job.name);
    jobs["id-" + job.name] = {runner::JobState::Running, {}, 0, "on node7"};
    return "id-" + job.name;
  }
  std::optional<runner::JobId> find(const runner::Job& job) override {
    const std::string id = "id-" + job.name;
    return jobs.count(id) ? std::optional(id) : std::nullopt;
  }
  std::vector<runner::JobStatus> status(const std::vector<runner::JobId>& ids) override {
    if (on_status) on_status();
    most_asked = std::max(most_asked, ids.size());
    std::vector<runner::JobStatus> answers;
    for (const auto& id : ids) answers.push_back(jobs.at(id));
    return answers;
  }
  void cancel(const std::vector<runner::JobId>& ids) override { cancelled.push_back(ids); }

  void end(const std::string& job, int exit_code) {
    const auto state = exit_code == 0 ? runner::JobState::Done : runner::JobState::Failed;
    jobs.at("id-" + job) = {state, exit_code, 0, ""};
  }

  std::map<runner::JobId, runner::JobStatus> jobs;
  std::vector<std::string> submitted;
  std::vector<std::vector<runner::JobId>> cancelled;
  std::size_t most_asked = 0;
  bool refuse = false;
  std::function<void(const runner::Job&)> on_submit;
  std::function<void()> on_status;  ///< the test's turn, before each answer
};

}  // namespace dlscale::test
