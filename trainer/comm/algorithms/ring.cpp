// SPDX-License-Identifier: Apache-2.0
// Ring all-reduce, which has the best bandwidth and a latency that grows with the number of ranks.
#include <algorithm>
#include <vector>

#include "trainer/comm/algorithms/all_reduce.hpp"
#include "trainer/comm/reduce_elements.hpp"

namespace dlscale::trainer {
namespace {

/// All-reduce round a ring (Patarasuk and Yuan 2009). The data is divided into N parts, where N is
/// the number of ranks. In the first N-1 steps, each part travels once round the ring, and every
/// rank adds its term. In N-1 more steps, the finished sums travel round the ring. In each step, a
/// rank sends one part. In total, a rank sends 2 (N-1)/N of the data.
class Ring : public AllReduce {
 public:
  double run(Communicator& ranks, const Span& data, ReduceOp op) override {
    const double wait_s = check_same_call(ranks, data, op);
    const int size = ranks.size();
    const int next = (ranks.rank() + 1) % size;
    const int previous = (ranks.rank() + size - 1) % size;
    const auto part = [&](int index) {
      const int at = (index % size + size) % size;
      const std::int64_t first = data.count * at / size;
      return data.part(first, data.count * (at + 1) / size - first);
    };
    for (int step = 0; step < size - 1; ++step) {
      const Span into = part(ranks.rank() - step - 1);
      scratch_.resize(std::max(scratch_.size(), into.bytes()));
      const Span arrived{scratch_.data(), into.count, into.type};
      ranks.exchange(part(ranks.rank() - step), next, arrived, previous);
      reduce_elements(into, arrived, op);
    }
    for (int step = 0; step < size - 1; ++step) {
      ranks.exchange(part(ranks.rank() + 1 - step), next, part(ranks.rank() - step), previous);
    }
    return wait_s;
  }
  const char* name() const override { return "ring"; }

 private:
  std::vector<std::byte> scratch_;
};

std::unique_ptr<AllReduce> new_ring(Communicator&) {
  return std::make_unique<Ring>();
}

}  // namespace

extern const AllReduceEntry ring_entry;
const AllReduceEntry ring_entry{
    .name = "ring", .summary = "reduce-scatter and all-gather round a ring", .make = &new_ring};

}  // namespace dlscale::trainer
