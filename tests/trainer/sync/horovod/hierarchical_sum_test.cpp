// SPDX-License-Identifier: Apache-2.0
// Tests of nodes, of sums over nodes, and of means.
#include <catch2/catch.hpp>
#include <cmath>

#include "base/error.hpp"
#include "tests/trainer/sync/horovod/ranks.hpp"
#include "trainer/comm/reduce_elements.hpp"
#include "trainer/numbers/half_types.hpp"
#include "trainer/sync/horovod/reduction.hpp"

using namespace dlscale;
using namespace dlscale::trainer::horovod;
using trainer::Communicator;
using trainer::ElementType;
using trainer::Span;
using Numbers = std::vector<double>;

namespace {

/// Returns the sums on each rank. Element j of rank r is 1000 r + j, so that a wrong sum reveals
/// its origin.
std::vector<Numbers> sums(const NodeOfRank& nodes, int count) {
  return test::on_ranks<Numbers>(static_cast<int>(nodes.size()), [&](Communicator& rank) {
    Numbers data;
    for (int j = 0; j < count; ++j) data.push_back(1000.0 * rank.rank() + j);
    HierarchicalSum sum(rank, nodes);
    for (int i = 0; i < 2; ++i) sum.run({data.data(), count, ElementType::float64});
    return data;
  });
}

void check_sums(const NodeOfRank& nodes, int count) {
  INFO(nodes.size() << " ranks, " << count << " elements");
  const auto ranks = static_cast<double>(nodes.size());
  for (const Numbers& found : sums(nodes, count)) {
    for (int j = 0; j < count; ++j) {
      const double once = 1000 * ranks * (ranks - 1) / 2 + j * ranks;
      CHECK(found[static_cast<std::size_t>(j)] == once * ranks);
    }
  }
}

}  // namespace

TEST_CASE("ranks are counted on their nodes, in any order of nodes") {
  const NodeOfRank round_robin{0, 1, 0, 1};
  CHECK(ranks_beside(round_robin, 1) == 2);
  CHECK(local_rank(round_robin, 1) == 0);
  CHECK(local_rank(round_robin, 2) == 1);
  CHECK(is_homogeneous(round_robin));
  CHECK_FALSE(is_homogeneous({0, 0, 1}));
  CHECK(is_homogeneous({0}));
}

TEST_CASE("threads of one machine are on one node") {
  for (const NodeOfRank& nodes : test::on_ranks<NodeOfRank>(3, find_nodes)) {
    CHECK(nodes == NodeOfRank{0, 0, 0});
  }
}

TEST_CASE("hierarchical sums equal sums over all ranks, for any nodes and any remainder") {
  for (const NodeOfRank& nodes : std::vector<NodeOfRank>{{0},
                                                         {0, 0},
                                                         {0, 1},
                                                         {0, 0, 0},
                                                         {0, 0, 1},
                                                         {0, 1, 0},
                                                         {0, 0, 1, 1},
                                                         {0, 1, 0, 1},
                                                         {0, 0, 0, 1}}) {
    for (const int count : {1, 2, 7, 12}) check_sums(nodes, count);
  }
}

TEST_CASE("every floating-point type is scaled, in place or from another array") {
  const auto scaled = [](auto type, ElementType element) {
    using T = decltype(type);
    std::vector<T> from;
    for (const float value : {3.0F, -1.5F, 0.0F}) from.push_back(static_cast<T>(value));
    std::vector<T> to(3);
    scale(from.data(), {to.data(), 3, element}, 0.5);
    scale(to.data(), {to.data(), 3, element}, 2);
    Numbers result;
    for (const T& value : to) result.push_back(static_cast<double>(static_cast<float>(value)));
    return result;
  };
  const Numbers expected{3, -1.5, 0};
  CHECK(scaled(float{}, ElementType::float32) == expected);
  CHECK(scaled(double{}, ElementType::float64) == expected);
  CHECK(scaled(trainer::Float16{}, ElementType::float16) == expected);
  CHECK(scaled(trainer::BFloat16{}, ElementType::bfloat16) == expected);
  int number = 3;
  CHECK_THROWS_AS(scale(&number, {&number, 1, ElementType::int32}, 0.5), base::RunError);
}
