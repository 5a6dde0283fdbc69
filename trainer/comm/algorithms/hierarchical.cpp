// SPDX-License-Identifier: Apache-2.0
#include "trainer/comm/algorithms/hierarchical.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/comm/shared_collectives.hpp"

namespace dlscale::trainer {
namespace {

using Identity = std::array<char, 128>;

/// Returns an identity of this machine and its shared memory. The identity contains the random
/// number that Linux draws at each boot, which differs between machines. It also contains the
/// device and inode of /dev/shm, which differ between containers with separate shared memory.
Identity identity() {
  std::string text;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), text);
  struct stat shared_memory {};
  if (::stat("/dev/shm", &shared_memory) == 0) {
    text += ' ' + std::to_string(shared_memory.st_dev) + ' ' + std::to_string(shared_memory.st_ino);
  }
  Identity result{};
  std::memcpy(result.data(), text.data(), std::min(text.size(), result.size()));
  return result;
}

}  // namespace

int node_of(Communicator& ranks) {
  Identity mine = identity();
  std::vector<Identity> all(static_cast<std::size_t>(ranks.size()));
  const auto bytes = static_cast<std::int64_t>(mine.size());
  ranks.all_gather({mine.data(), bytes, ElementType::uint8},
                   {all.data(), bytes * ranks.size(), ElementType::uint8});
  return static_cast<int>(std::find(all.begin(), all.end(), mine) - all.begin());
}

// In the shared-memory all-reduce, each rank reduces a part of the data, which all ranks then copy.

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
  throw base::RunError(
      "all_reduce \"shared_memory\" needs all ranks on one node with enough shared memory",
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

// The hierarchical all-reduce reduces within each node, then between one rank of each node, and
// then broadcasts within each node.

namespace {

class Hierarchical : public AllReduce {
 public:
  Hierarchical(Communicator& ranks, int node)
      : node_(ranks.split(node)),
        leads_(node_->rank() == 0),
        leaders_(ranks.split(leads_ ? 0 : 1)),
        in_node_(node_->size() > 1 ? make_shared_memory(*node_) : nullptr) {}

  double run(Communicator& ranks, const Span& data, ReduceOp op) override {
    const double wait_s = check_same_call(ranks, data, op);
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
  /// Connects the ranks that lead a node. On other ranks, connects all ranks that lead no node.
  std::unique_ptr<Communicator> leaders_;
  std::unique_ptr<AllReduce> in_node_;  ///< null if the transport reduces within the node
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
    .summary = "through shared memory in each node, then between one rank of each node",
    .make = &new_hierarchical};

}  // namespace dlscale::trainer
