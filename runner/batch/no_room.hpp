// SPDX-License-Identifier: Apache-2.0
// The error of a batch system that holds as many jobs of a user as it takes.
#pragma once

#include "base/error.hpp"

namespace dlscale::runner {

/// The job is refused because of others of the same user that wait or run, or because it is an
/// array of too many tasks: once some have ended, or with fewer tasks, it may be submitted again.
/// It is not there now.
class NoRoom : public base::RunError {
 public:
  explicit NoRoom(const std::string& message) : base::RunError(message) {}
};

}  // namespace dlscale::runner
