// SPDX-License-Identifier: Apache-2.0
// Conversion of an exception to the failure of a launch, and work on which all ranks succeed or
// fail together.
#pragma once

#include <exception>
#include <functional>
#include <string>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/comm/collective_queue.hpp"

namespace dlscale::trainer {

// Conversion of an exception to the failure of a launch.

struct Failure {
  std::string message;  ///< message of one line
  int exit_code = 1;
  contract::RunOutcome outcome = contract::RunOutcome::Failed;
};

Failure failure_of(const std::exception& error);

// Work on which all ranks succeed or fail together, so that no rank waits for a rank that is gone.

/// Failure that every rank throws, so that all ranks can end in order.
class SharedError : public base::RunError {
 public:
  explicit SharedError(const Failure& failure)
      : RunError(failure.message, failure.exit_code), failure_(failure) {}
  const Failure& failure() const { return failure_; }

 private:
  Failure failure_;
};

/// **Collective.** Returns on every rank the text that rank 0 has.
std::string broadcast_text(std::string text, CollectiveQueue& queue);

/// **Collective.** Runs `work` on every rank. `work` must not contain a collective. If `work`
/// throws on any rank, all ranks throw the SharedError of the first rank that failed.
void all_or_none(CollectiveQueue& queue, const std::function<void()>& work);

}  // namespace dlscale::trainer
