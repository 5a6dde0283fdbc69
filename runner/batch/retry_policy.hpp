// SPDX-License-Identifier: Apache-2.0
// Defines the errors for a batch system that does not answer or has no room, and retries queries to
// a batch system that does not answer.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"

namespace dlscale::runner {

// Error for a batch system that has reached its limit on the jobs of a user.

/// Error for a job that is rejected temporarily, because of other waiting or running jobs of the
/// same user or because the job is an array with too many tasks. The batch system does not have the
/// job. The job may be submitted again after other jobs have ended, or with fewer tasks.
class SubmitLimitReached : public base::RunError {
 public:
  explicit SubmitLimitReached(const std::string& message) : base::RunError(message) {}
};

// Error for a batch system that does not answer.

/// Exit code of `dlscale` if a batch system does not answer.
inline constexpr int kUnreachableExit = 4;

/// Error for a batch system that does not answer. The query may be retried. A submission that ends
/// with this error may still have reached the batch system.
class SchedulerUnreachable : public base::RunError {
 public:
  explicit SchedulerUnreachable(const std::string& message)
      : base::RunError(message, kUnreachableExit) {}
};

// Retries of queries to a batch system that does not answer.

/// Clock, pause function and stop requests that waiting uses.
struct WaitContext {
  const base::Clock& clock;
  std::function<void(double seconds)> pause;
  std::function<int()> stop_requests;  ///< number of stop requests, 0 = continue
};

/// Waits for `seconds`, or until a stop is requested.
void wait_for(const WaitContext& waiting, double seconds);

class RetryPolicy {
 public:
  /// Creates a policy that retries after 1, 2, 4, … 60 s, for `limit_s` in total. A limit of 0
  /// disables retries. `tell` receives a message for the user before each pause.
  RetryPolicy(WaitContext waiting, double limit_s,
              std::function<void(const std::string& line)> tell)
      : waiting_(std::move(waiting)), limit_s_(limit_s), tell_(std::move(tell)) {}

  /// Calls `question` until it does not throw SchedulerUnreachable. Returns false if a stop was
  /// requested first. Throws SchedulerUnreachable after the time limit.
  bool ask(const std::function<void()>& question) const;

 private:
  WaitContext waiting_;
  double limit_s_;
  std::function<void(const std::string&)> tell_;
};

}  // namespace dlscale::runner
