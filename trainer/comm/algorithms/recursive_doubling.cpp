// SPDX-License-Identifier: Apache-2.0
// All-reduce by recursive doubling: the least latency, all data in every step.
#include <algorithm>
#include <vector>

#include "trainer/comm/algorithms/all_reduce.hpp"
#include "trainer/comm/algorithms/power_of_two.hpp"
#include "trainer/comm/fold.hpp"

namespace dlscale::trainer {
namespace {

/// In step k a rank exchanges all it has with the one 2^k away (Thakur, Rabenseifner and Gropp
/// 2005): log2 N messages of the whole data for each of N ranks, where N is a power of two.
class RecursiveDoubling : public AllReduce {
 public:
  double run(Communicator& ranks, const Span& data, ReduceOp op) override {
    const double wait_s = meet(ranks, data, op);
    scratch_.resize(std::max(scratch_.size(), data.bytes()));
    const Span arrived{scratch_.data(), data.count, data.type};
    as_power_of_two(ranks, data, arrived, op, [&](const Partners& partners) {
      for (int distance = 1; distance < partners.size; distance *= 2) {
        const int partner = partners.rank_of(partners.rank ^ distance);
        ranks.exchange(data, partner, arrived, partner);
        fold(data, arrived, op);
      }
    });
    return wait_s;
  }
  const char* name() const override { return "recursive_doubling"; }

 private:
  std::vector<std::byte> scratch_;
};

std::unique_ptr<AllReduce> new_recursive_doubling(Communicator&) {
  return std::make_unique<RecursiveDoubling>();
}

}  // namespace

extern const AllReduceEntry recursive_doubling_entry;
const AllReduceEntry recursive_doubling_entry{.name = "recursive_doubling",
                                              .summary = "all data to a partner, log2 N times",
                                              .make = &new_recursive_doubling};

}  // namespace dlscale::trainer
