// SPDX-License-Identifier: Apache-2.0
// Interface of the all-reduce algorithms and the table in which the user selects an algorithm by
// name.
#pragma once

#include <memory>

#include "base/registry.hpp"
#include "trainer/comm/call_number.hpp"
#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

class SharedCollectives;

/// All-reduce algorithm for a fixed group of ranks. The algorithm owns the memory in which it
/// works.
class AllReduce {
 public:
  virtual ~AllReduce() = default;
  /// **Collective.** Reduces `data` over all ranks, with the semantics of Communicator::all_reduce.
  /// `ranks` must be the ranks for which the algorithm was made. Returns the seconds that this rank
  /// waited until all ranks had arrived.
  virtual double run(Communicator& ranks, const Span& data, ReduceOp op) = 0;
  /// Returns the name of the algorithm in all_reduce_table(). An entry that selects among
  /// algorithms reports the name of the selected algorithm.
  virtual const char* name() const = 0;
  /// Returns the shared-memory collectives of the algorithm. The caller can use them for
  /// collectives other than the all-reduce. Returns null if the algorithm does not use shared
  /// memory.
  virtual SharedCollectives* shared() { return nullptr; }
};

/// **Collective.** Synchronises the ranks at the start of an algorithm that is built from
/// exchanges. Throws when the ranks make different calls. A waiting rank yields its core to other
/// threads. Returns the seconds that this rank waited.
inline double check_same_call(Communicator& ranks, const Span& data, ReduceOp op) {
  ranks.check_same_call({"all_reduce", data, op});
  return ranks.last_wait_s();
}

/// Row of the all-reduce table.
struct AllReduceEntry {
  const char* name;
  const char* summary;
  /// **Collective.** Makes the algorithm for `ranks`. Throws RunError on every rank when the
  /// algorithm cannot connect these ranks.
  std::unique_ptr<AllReduce> (*make)(Communicator& ranks);
};

base::Table<AllReduceEntry> all_reduce_table();

}  // namespace dlscale::trainer
