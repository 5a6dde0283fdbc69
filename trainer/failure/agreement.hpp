// SPDX-License-Identifier: Apache-2.0
// Ranks that succeed or fail as one, so that none is left waiting for a rank that is gone.
#pragma once

#include <functional>
#include <string>

#include "base/error.hpp"
#include "trainer/comm/collective_queue.hpp"
#include "trainer/failure/failure.hpp"

namespace dlscale::trainer {

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
