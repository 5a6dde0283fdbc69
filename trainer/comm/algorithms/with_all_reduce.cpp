// SPDX-License-Identifier: Apache-2.0
#include "trainer/comm/algorithms/with_all_reduce.hpp"

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/comm/algorithms/all_reduce.hpp"
#include "trainer/comm/algorithms/hierarchical.hpp"
#include "trainer/comm/call_number.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/comm/shared_collectives.hpp"

namespace dlscale::trainer {
namespace {

class ChosenAllReduce : public Overlay {
 public:
  ChosenAllReduce(std::unique_ptr<Communicator> inner, const AllReduceEntry& entry)
      : Overlay(*inner),
        owned_(std::move(inner)),
        entry_(entry),
        all_reduce_(entry.make(*owned_)),
        shared_(all_reduce_->shared()) {}
  std::string all_reduce_name() const override { return all_reduce_->name(); }
  bool takes(Memory memory) const override { return memory == Memory::host; }

 private:
  void do_all_reduce(Span data, ReduceOp op) override {
    waited(all_reduce_->run(inner(), data, op));
  }
  void do_reduce_scatter(Span in, Span out, ReduceOp op) override {
    if (!shared_) return Overlay::do_reduce_scatter(in, out, op);
    waited(shared_->reduce_scatter(in, out, op));
  }
  void do_all_gather(Span in, Span out) override {
    if (shared_ && out.bytes() <= SharedCollectives::kMostGatheredBytes) {
      return waited(shared_->all_gather(in, out));
    }
    meet_in_shared({"all_gather", in});
    Overlay::do_all_gather(in, out);
  }
  void do_broadcast(Span data, int root) override {
    if (!shared_) return Overlay::do_broadcast(data, root);
    waited(shared_->broadcast(data, root));
  }
  void do_reduce(Span data, ReduceOp op, int root) override {
    meet_in_shared({"reduce", data, op, root});
    Overlay::do_reduce(data, op, root);
  }
  void do_check_same_call(const NamedCollective& call) override {
    if (!shared_) return Overlay::do_check_same_call(call);
    waited(shared_->check_same_call(call));
  }
  std::unique_ptr<Communicator> do_split(int color) override {
    meet_in_shared({"split", {}});
    return std::make_unique<ChosenAllReduce>(inner().split(color), entry_);
  }

  /// Synchronises the ranks through shared memory before the transport runs a call. The transport
  /// cannot detect a rank that waits in shared memory. Without the check, ranks that make different
  /// calls would wait for each other forever.
  void meet_in_shared(const NamedCollective& call) {
    if (shared_) waited(shared_->check_same_call(call));
  }

  std::unique_ptr<Communicator> owned_;
  const AllReduceEntry& entry_;
  std::unique_ptr<AllReduce> all_reduce_;
  SharedCollectives* shared_;
};

}  // namespace

std::unique_ptr<Communicator> with_all_reduce(std::unique_ptr<Communicator> inner,
                                              const std::string& name) {
  if (name == inner->all_reduce_name()) return inner;
  for (const AllReduceEntry* entry : all_reduce_table()) {
    if (name == entry->name) return std::make_unique<ChosenAllReduce>(std::move(inner), *entry);
  }
  throw base::RunError("there is no all-reduce \"" + name + "\"", contract::kExitBadRunDescription);
}

// The entry "auto" selects the all-reduce that was fastest in docs/measurements/collectives.md.

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

// The entry "tuned" is the all-reduce of the transport.

namespace {

class Tuned : public AllReduce {
 public:
  double run(Communicator& ranks, const Span& data, ReduceOp op) override {
    ranks.all_reduce(data, op);
    return ranks.last_wait_s();
  }
  const char* name() const override { return "tuned"; }
};

std::unique_ptr<AllReduce> new_tuned(Communicator&) {
  return std::make_unique<Tuned>();
}

}  // namespace

extern const AllReduceEntry tuned_entry;
const AllReduceEntry tuned_entry{
    .name = "tuned", .summary = "the algorithm that the transport selects", .make = &new_tuned};

}  // namespace dlscale::trainer
