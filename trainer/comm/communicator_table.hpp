// SPDX-License-Identifier: Apache-2.0
// Which transports there are, and which of them this build has.
#pragma once

#include "base/registry.hpp"

namespace dlscale::trainer {

/// A row of the communicator table. How one is made differs (a session, a group of threads), so
/// each has a factory in its own header.
struct CommunicatorEntry {
  const char* name;
  const char* summary;
  const char* unavailable;  ///< why this build lacks it; null when it has it
};

base::Table<CommunicatorEntry> communicator_table();

}  // namespace dlscale::trainer
