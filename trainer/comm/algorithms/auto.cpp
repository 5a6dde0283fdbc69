// SPDX-License-Identifier: Apache-2.0
// The all-reduce that is fastest as far as has been measured: docs/performance.md.
#include "trainer/comm/algorithms/shared_memory.hpp"

namespace dlscale::trainer {

extern const AllReduceEntry tuned_entry;

namespace {

std::unique_ptr<AllReduce> new_auto(Communicator& ranks) {
  if (ranks.size() > 1) {
    if (auto made = make_shared_memory(ranks)) return made;
  }
  return tuned_entry.make(ranks);
}

}  // namespace

extern const AllReduceEntry auto_entry;
const AllReduceEntry auto_entry{
    .name = "auto", .summary = "shared_memory within a node, else tuned", .make = &new_auto};

}  // namespace dlscale::trainer
