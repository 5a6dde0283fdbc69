// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/comm/calls.hpp"

#include <array>

namespace dlscale::test {

using trainer::Communicator;
using trainer::ElementType;
using trainer::ReduceOp;
using trainer::Span;

namespace {

/// Memory for a call of up to 6 elements, with spans of 2 and 6 elements.
struct Memory {
  std::array<double, 6> in{}, out{};
  Span two{in.data(), 2, ElementType::float64};
  Span six{out.data(), 6, ElementType::float64};
};

void gather_much(Communicator& ranks) {
  std::vector<double> in(2048), out(3 * in.size());
  ranks.all_gather({in.data(), 2048, ElementType::float64},
                   {out.data(), 3 * 2048, ElementType::float64});
}

}  // namespace

const std::vector<NamedCall>& different_calls() {
  static const std::vector<NamedCall> calls{
      {"all_reduce",
       [](Communicator& c) {
         Memory memory;
         c.all_reduce(memory.two, ReduceOp::sum);
       }},
      {"all_reduce of more",
       [](Communicator& c) {
         Memory memory;
         c.all_reduce(memory.six, ReduceOp::sum);
       }},
      {"all_reduce by max",
       [](Communicator& c) {
         Memory memory;
         c.all_reduce(memory.two, ReduceOp::max);
       }},
      {"all_reduce of another type",
       [](Communicator& c) {
         Memory memory;
         c.all_reduce({memory.in.data(), 2, ElementType::int64}, ReduceOp::sum);
       }},
      {"reduce_scatter",
       [](Communicator& c) {
         Memory memory;
         c.reduce_scatter(memory.six, memory.two, ReduceOp::sum);
       }},
      {"all_gather",
       [](Communicator& c) {
         Memory memory;
         c.all_gather(memory.two, memory.six);
       }},
      {"all_gather of so much that it goes another way", &gather_much},
      {"broadcast",
       [](Communicator& c) {
         Memory memory;
         c.broadcast(memory.two, 0);
       }},
      {"broadcast by another",
       [](Communicator& c) {
         Memory memory;
         c.broadcast(memory.two, 1);
       }},
      {"reduce",
       [](Communicator& c) {
         Memory memory;
         c.reduce(memory.two, ReduceOp::sum, 0);
       }},
      {"exchange",
       [](Communicator& c) {
         Memory memory;
         c.exchange(memory.two, (c.rank() + 1) % 3, memory.six.part(0, 2), (c.rank() + 2) % 3);
       }},
      {"barrier", [](Communicator& c) { c.barrier(); }},
      {"split", [](Communicator& c) { c.split(0); }}};
  return calls;
}

std::vector<std::pair<NamedCall, NamedCall>> differing_pairs() {
  std::vector<std::pair<NamedCall, NamedCall>> pairs;
  const std::vector<NamedCall>& calls = different_calls();
  for (auto one = calls.begin(); one != calls.end(); ++one) {
    for (auto other = one + 1; other != calls.end(); ++other) {
      if (one->name != "exchange" && other->name != "exchange") pairs.emplace_back(*one, *other);
    }
  }
  return pairs;
}

}  // namespace dlscale::test
