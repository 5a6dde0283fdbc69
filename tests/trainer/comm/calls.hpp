// SPDX-License-Identifier: Apache-2.0
// One call of each kind, no two of which fit together.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "trainer/comm/communicator.hpp"

namespace dlscale::test {

struct NamedCall {
  std::string name;
  std::function<void(trainer::Communicator&)> run;
};

/// For 3 ranks. The exchange goes round: each rank sends to the next.
const std::vector<NamedCall>& different_calls();

/// Every two of them but the exchange, which no collective compares itself with.
std::vector<std::pair<NamedCall, NamedCall>> differing_pairs();

}  // namespace dlscale::test
