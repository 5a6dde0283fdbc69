// SPDX-License-Identifier: Apache-2.0
// All-reduce through memory that the ranks share: each folds a part of the data, all fetch it.
#include "trainer/comm/algorithms/shared_memory.hpp"

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/comm/shared_collectives.hpp"

namespace dlscale::trainer {
namespace {

class SharedMemory : public AllReduce {
 public:
  explicit SharedMemory(std::unique_ptr<SharedCollectives> collectives)
      : collectives_(std::move(collectives)) {}
  double run(Communicator&, const Span& data, ReduceOp op) override {
    return collectives_->all_reduce(data, op);
  }
  const char* name() const override { return "shared_memory"; }
  SharedCollectives* shared() override { return collectives_.get(); }

 private:
  std::unique_ptr<SharedCollectives> collectives_;
};

std::unique_ptr<AllReduce> new_shared_memory(Communicator& ranks) {
  if (auto made = make_shared_memory(ranks)) return made;
  throw base::RunError("all_reduce \"shared_memory\" is for ranks of one node with enough of it",
                       contract::kExitCommunication);
}

}  // namespace

std::unique_ptr<AllReduce> make_shared_memory(Communicator& ranks) {
  auto collectives = SharedCollectives::make(ranks);
  return collectives ? std::make_unique<SharedMemory>(std::move(collectives)) : nullptr;
}

extern const AllReduceEntry shared_memory_entry;
const AllReduceEntry shared_memory_entry{.name = "shared_memory",
                                         .summary = "through memory that the ranks of a node share",
                                         .make = &new_shared_memory};

}  // namespace dlscale::trainer
