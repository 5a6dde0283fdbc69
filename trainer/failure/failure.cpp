// SPDX-License-Identifier: Apache-2.0
#include "trainer/failure/failure.hpp"

#include <new>

#include "base/error.hpp"

namespace dlscale::trainer {

Failure failure_of(const std::exception& error) {
  const std::string text = error.what();
  Failure failure{text.substr(0, text.find('\n'))};  // LibTorch appends a stack trace
  if (const auto* known = dynamic_cast<const base::Error*>(&error)) {
    failure.exit_code = known->exit_code();
  }
  // LibTorch has no type of its own for memory that its allocators cannot get.
  if (dynamic_cast<const std::bad_alloc*>(&error) || text.find("out of memory") != text.npos ||
      text.find("can't allocate memory") != text.npos) {
    failure.outcome = contract::RunOutcome::OutOfMemory;
  }
  return failure;
}

}  // namespace dlscale::trainer
