// SPDX-License-Identifier: Apache-2.0
// Defines the errors for a batch system that does not answer or accepts no more jobs, and retries
// queries to a batch system that does not answer.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"

namespace dlscale::runner {

// Error for a batch system that has reached its limit on the jobs of a user.

/// Error for a job that is rejected temporarily. Either other waiting or running jobs of the same
/// user exhaust a limit, or the job is an array with too many tasks. The batch system does not have
/// the job. The job may be submitted again with fewer tasks, or after other jobs have ended.
class SubmitLimitReached : public base::RunError {
 public:
  explicit SubmitLimitReached(const std::string& message) : base::RunError(message) {}
};

// Error for a batch system that does not answer.

/// Exit code of `dlscale` if a batch system does not answer.
inline constexpr int kUnreachableExit = 4;

/// Error for a batch system that does not answer. The query may be retried. If a submission ends
/// with this error, the batch system may have received the job nevertheless.
class SchedulerUnreachable : public base::RunError {
 public:
  explicit SchedulerUnreachable(const std::string& message)
      : base::RunError(message, kUnreachableExit) {}
};

// Retries of queries to a batch system that does not answer.

/// Clock, pause function and stop requests for functions that wait.
struct WaitContext {
  const base::Clock& clock;
  std::function<void(double seconds)> pause;
  std::function<int()> stop_requests;  ///< number of stop requests, 0 = continue
};

/// Waits for `seconds`, or until a stop is requested.
void wait_for(const WaitContext& waiting, double seconds);

class RetryPolicy {
 public:
  /// Creates a policy that pauses 1, 2, 4, … and at most 60 s between retries. Retries end
  /// `limit_s` after the first attempt. With a limit of 0 there are no retries. `tell` receives a
  /// message for the user before each pause.
  RetryPolicy(WaitContext waiting, double limit_s,
              std::function<void(const std::string& line)> tell)
      : waiting_(std::move(waiting)), limit_s_(limit_s), tell_(std::move(tell)) {}

  /// Calls `question`, and calls it again after a pause whenever it throws SchedulerUnreachable.
  /// Returns true when a call succeeds, and false if a stop was requested before a call succeeded.
  /// Throws SchedulerUnreachable after the time limit.
  bool ask(const std::function<void()>& question) const;

 private:
  WaitContext waiting_;
  double limit_s_;
  std::function<void(const std::string&)> tell_;
};

}  // namespace dlscale::runner
