// SPDX-License-Identifier: Apache-2.0
#include "trainer/comm/algorithms/doubling.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "trainer/comm/algorithms/all_reduce.hpp"
#include "trainer/comm/reduce_elements.hpp"

namespace dlscale::trainer {

void as_power_of_two(Communicator& ranks, const Span& data, const Span& scratch, ReduceOp op,
                     const std::function<void(const Partners&)>& body) {
  const int size = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks.size())));
  const int idle = ranks.size() - size;
  const int rank = ranks.rank();
  const bool paired = rank < 2 * idle;
  if (paired && rank % 2 == 0) {
    ranks.send(data, rank + 1);
    ranks.receive(data, rank + 1);
    return;
  }
  if (paired) {
    ranks.receive(scratch, rank - 1);
    reduce_elements(data, scratch, op);
  }
  body({ranks, paired ? rank / 2 : rank - idle, size, idle});
  if (paired) ranks.send(data, rank - 1);
}

// Recursive doubling has the lowest latency, but sends all data in every step.

namespace {

/// All-reduce by recursive doubling. In step k, a rank exchanges all of its data with the rank at
/// distance 2^k (Thakur, Rabenseifner and Gropp 2005). Each of N ranks sends log2 N messages of the
/// whole data, where N is a power of two.
class RecursiveDoubling : public AllReduce {
 public:
  double run(Communicator& ranks, const Span& data, ReduceOp op) override {
    const double wait_s = check_same_call(ranks, data, op);
    scratch_.resize(std::max(scratch_.size(), data.bytes()));
    const Span arrived{scratch_.data(), data.count, data.type};
    as_power_of_two(ranks, data, arrived, op, [&](const Partners& partners) {
      for (int distance = 1; distance < partners.size; distance *= 2) {
        const int partner = partners.rank_of(partners.rank ^ distance);
        ranks.exchange(data, partner, arrived, partner);
        reduce_elements(data, arrived, op);
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
const AllReduceEntry recursive_doubling_entry{
    .name = "recursive_doubling",
    .summary = "exchanges all data with a partner, log2 N times",
    .make = &new_recursive_doubling};

// Recursive halving and doubling reaches the bandwidth of the ring in log2 N steps.

namespace {

/// All-reduce by recursive halving and doubling (Rabenseifner 2004). In each halving step, two
/// partners divide the range of data that both hold. Each partner reduces one half and continues
/// with that half. In the doubling steps, partners exchange the reduced halves in reverse order
/// until every rank holds all of the data. Each of N ranks sends 2 (N-1)/N of the data, where N is
/// a power of two.
class Rabenseifner : public AllReduce {
 public:
  double run(Communicator& ranks, const Span& data, ReduceOp op) override {
    const double wait_s = check_same_call(ranks, data, op);
    scratch_.resize(std::max(scratch_.size(), data.bytes()));
    const Span scratch{scratch_.data(), data.count, data.type};
    as_power_of_two(ranks, data, scratch, op,
                    [&](const Partners& partners) { halve_and_double(partners, data, op); });
    return wait_s;
  }
  const char* name() const override { return "rabenseifner"; }

 private:
  struct Step {
    int partner;
    Span mine, other;  ///< halves of the data that this rank and its partner divide
  };

  void halve_and_double(const Partners& partners, const Span& data, ReduceOp op) {
    std::vector<Step> steps;
    Span held = data;
    for (int distance = partners.size / 2; distance > 0; distance /= 2) {
      const std::int64_t middle = held.count / 2;
      Span mine = held.part(0, middle);
      Span other = held.part(middle, held.count - middle);
      if ((partners.rank & distance) != 0) std::swap(mine, other);
      const int partner = partners.rank_of(partners.rank ^ distance);
      const Span arrived{scratch_.data(), mine.count, mine.type};
      partners.ranks.exchange(other, partner, arrived, partner);
      reduce_elements(mine, arrived, op);
      steps.push_back({partner, mine, other});
      held = mine;
    }
    std::for_each(steps.rbegin(), steps.rend(), [&](const Step& step) {
      partners.ranks.exchange(step.mine, step.partner, step.other, step.partner);
    });
  }

  std::vector<std::byte> scratch_;
};

std::unique_ptr<AllReduce> new_rabenseifner(Communicator&) {
  return std::make_unique<Rabenseifner>();
}

}  // namespace

extern const AllReduceEntry rabenseifner_entry;
const AllReduceEntry rabenseifner_entry{
    .name = "rabenseifner", .summary = "recursive halving and doubling", .make = &new_rabenseifner};

}  // namespace dlscale::trainer
