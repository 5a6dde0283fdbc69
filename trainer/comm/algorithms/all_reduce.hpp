// SPDX-License-Identifier: Apache-2.0
// The ways to all-reduce that can be chosen by name.
#pragma once

#include <memory>

#include "base/registry.hpp"
#include "trainer/comm/call_number.hpp"
#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

class SharedCollectives;

/// One way to all-reduce between the ranks it was made for; holds the memory it works in.
class AllReduce {
 public:
  virtual ~AllReduce() = default;
  /// **Collective.** As Communicator::all_reduce; `ranks` are those it was made for. Returns the
  /// seconds until all of them were there.
  virtual double run(Communicator& ranks, const Span& data, ReduceOp op) = 0;
  /// A name of the table. That of what was chosen, where it was to choose.
  virtual const char* name() const = 0;
  /// Where its memory serves other collectives as well; null: the transport does them.
  virtual SharedCollectives* shared() { return nullptr; }
};

/// **Collective.** How an algorithm made of exchanges begins: it waits quietly for all ranks and
/// compares what they bring. Returns the seconds.
inline double meet(Communicator& ranks, const Span& data, ReduceOp op) {
  ranks.meet({"all_reduce", data, op});
  return ranks.last_wait_s();
}

/// A row of the table.
struct AllReduceEntry {
  const char* name;
  const char* summary;
  /// **Collective.** Throws RunError on every rank when it cannot work between these ranks.
  std::unique_ptr<AllReduce> (*make)(Communicator& ranks);
};

base::Table<AllReduceEntry> all_reduce_table();

}  // namespace dlscale::trainer
