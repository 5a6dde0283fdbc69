// SPDX-License-Identifier: Apache-2.0
// One call of each kind, for tests in which ranks make different calls.
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

/// Returns calls for 3 ranks. No two calls match each other. In the exchange, each rank sends to
/// the next rank of a ring.
const std::vector<NamedCall>& different_calls();

/// Returns every pair of different calls, without the exchange, because collectives do not check
/// for a concurrent exchange.
std::vector<std::pair<NamedCall, NamedCall>> differing_pairs();

}  // namespace dlscale::test
