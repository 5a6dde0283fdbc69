// SPDX-License-Identifier: Apache-2.0
// A check for code that runs in several threads at once, where the macros of Catch2 are not safe.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace dlscale::test {

/// Throws std::runtime_error with the message `what` if `condition` is false. `what` states the
/// fact that must hold. run_as_threads() and parallel_for() rethrow the error in the thread of the
/// test.
inline void require(bool condition, std::string_view what) {
  if (!condition) throw std::runtime_error(std::string(what));
}

}  // namespace dlscale::test
