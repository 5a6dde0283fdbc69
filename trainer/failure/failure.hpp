// SPDX-License-Identifier: Apache-2.0
// Conversion of an exception to the description of a failed launch, and execution of work that
// succeeds or fails on all ranks together.
#pragma once

#include <exception>
#include <functional>
#include <string>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/comm/collective_queue.hpp"

namespace dlscale::trainer {

// Conversion of an exception to the description of a failed launch.

struct Failure {
  std::string message;  ///< message of one line
  int exit_code = 1;
  contract::RunOutcome outcome = contract::RunOutcome::Failed;
};

Failure failure_of(const std::exception& error);

// Execution of work that succeeds or fails on all ranks together. No rank then waits for a rank
// that has already failed.

/// Failure that every rank throws together, so that all ranks can end without aborting the MPI
/// session.
class SharedError : public base::RunError {
 public:
  explicit SharedError(const Failure& failure)
      : RunError(failure.message, failure.exit_code), failure_(failure) {}
  const Failure& failure() const { return failure_; }

 private:
  Failure failure_;
};

/// **Collective.** Returns on every rank the `text` of rank 0. The other ranks may pass any text.
std::string broadcast_text(std::string text, CollectiveQueue& queue);

/// **Collective.** Runs `work` on every rank. `work` must not contain a collective. If `work`
/// throws on any rank, all ranks throw a SharedError. The SharedError describes the failure of the
/// lowest-numbered rank that failed.
void all_or_none(CollectiveQueue& queue, const std::function<void()>& work);

}  // namespace dlscale::trainer
