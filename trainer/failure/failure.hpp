// SPDX-License-Identifier: Apache-2.0
// What an exception means for the launch it ended; and ranks that succeed or fail as one.
#pragma once

#include <exception>
#include <functional>
#include <string>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/comm/collective_queue.hpp"

namespace dlscale::trainer {

// What an exception means for the launch it ended.

struct Failure {
  std::string message;  ///< one line
  int exit_code = 1;
  contract::RunOutcome outcome = contract::RunOutcome::Failed;
};

Failure failure_of(const std::exception& error);

// Ranks that succeed or fail as one, so that none is left waiting for a rank that is gone.

/// A failure that every rank throws: they can all leave in order.
class SharedError : public base::RunError {
 public:
  explicit SharedError(const Failure& failure)
      : RunError(failure.message, failure.exit_code), failure_(failure) {}
  const Failure& failure() const { return failure_; }

 private:
  Failure failure_;
};

/// **Collective.** Every rank gets the text that rank 0 has.
std::string broadcast_text(std::string text, CollectiveQueue& queue);

/// **Collective.** Runs `work`, which must hold no collective, on every rank. If it throws on any,
/// all ranks throw the SharedError of the first rank that failed.
void all_or_none(CollectiveQueue& queue, const std::function<void()>& work);

}  // namespace dlscale::trainer
