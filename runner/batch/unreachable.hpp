// SPDX-License-Identifier: Apache-2.0
// The error of a batch system that does not answer.
#pragma once

#include "base/error.hpp"

namespace dlscale::runner {

/// The exit code of `dlscale` when a batch system does not answer.
inline constexpr int kUnreachableExit = 4;

/// The batch system does not answer: it may be tried again. A submission that ends with this may
/// have reached it all the same.
class Unreachable : public base::RunError {
 public:
  explicit Unreachable(const std::string& message) : base::RunError(message, kUnreachableExit) {}
};

}  // namespace dlscale::runner
