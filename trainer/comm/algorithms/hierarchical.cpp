// SPDX-License-Identifier: Apache-2.0
// All-reduce in each node, then between one rank of each, then a broadcast in each node.
#include "trainer/comm/algorithms/hierarchical.hpp"

#include "trainer/comm/algorithms/nodes.hpp"
#include "trainer/comm/algorithms/shared_memory.hpp"

namespace dlscale::trainer {
namespace {

class Hierarchical : public AllReduce {
 public:
  Hierarchical(Communicator& ranks, int node)
      : node_(ranks.split(node)),
        leads_(node_->rank() == 0),
        leaders_(ranks.split(leads_ ? 0 : 1)),
        in_node_(node_->size() > 1 ? make_shared_memory(*node_) : nullptr) {}

  double run(Communicator& ranks, const Span& data, ReduceOp op) override {
    const double wait_s = meet(ranks, data, op);
    reduce_in_node(data, op);
    if (leads_) leaders_->all_reduce(data, op);
    node_->broadcast(data, 0);
    return wait_s;
  }
  const char* name() const override { return "hierarchical"; }

 private:
  void reduce_in_node(const Span& data, ReduceOp op) {
    if (!in_node_) return node_->all_reduce(data, op);
    in_node_->run(*node_, data, op);
  }

  std::unique_ptr<Communicator> node_;
  bool leads_;
  std::unique_ptr<Communicator> leaders_;  ///< of the ranks that do not lead: one another
  std::unique_ptr<AllReduce> in_node_;     ///< null: as the transport does
};

std::unique_ptr<AllReduce> new_hierarchical(Communicator& ranks) {
  return make_hierarchical(ranks, node_of(ranks));
}

}  // namespace

std::unique_ptr<AllReduce> make_hierarchical(Communicator& ranks, int node) {
  return std::make_unique<Hierarchical>(ranks, node);
}

extern const AllReduceEntry hierarchical_entry;
const AllReduceEntry hierarchical_entry{
    .name = "hierarchical",
    .summary = "through shared memory in each node, then between one rank of each",
    .make = &new_hierarchical};

}  // namespace dlscale::trainer
