// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads and that each return a result.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "trainer/comm/thread.hpp"
#include "trainer/sync/horovod/messages.hpp"

namespace dlscale::test {

/// Returns the result of `body` on each of `size` ranks.
template <class Result>
std::vector<Result> on_ranks(int size, const std::function<Result(trainer::Communicator&)>& body) {
  static_assert(!std::is_same_v<Result, bool>, "bits of a vector are not threads' own");
  std::vector<Result> results(static_cast<std::size_t>(size));
  trainer::run_as_threads(size, [&](trainer::Communicator& rank) {
    results[static_cast<std::size_t>(rank.rank())] = body(rank);
  });
  return results;
}

/// Names of the tensors that are reduced together, in order.
using Groups = std::vector<std::vector<std::string>>;

inline Groups groups_of(const std::vector<trainer::horovod::Response>& responses) {
  Groups groups;
  for (const auto& response : responses) groups.push_back(response.names);
  return groups;
}

/// Returns requests for tensors of one type and shape.
inline std::vector<trainer::horovod::Request> requests(
    const std::vector<std::string>& names, std::vector<std::int64_t> shape = {4},
    trainer::ElementType type = trainer::ElementType::float32) {
  std::vector<trainer::horovod::Request> list;
  for (const std::string& name : names) list.push_back({name, type, shape});
  return list;
}

}  // namespace dlscale::test
