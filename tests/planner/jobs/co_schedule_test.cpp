// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/co_schedule.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

using namespace dlscale::planner;

namespace {

/// Simulates the job script on the run list of a node and returns the end of the last run.
double play(const NodePlan& node, int slots) {
  std::vector<double> free_at(static_cast<std::size_t>(slots), 0.0);
  double start = 0, end = 0;
  for (const NodeShare& share : node.runs) {
    std::sort(free_at.begin(), free_at.end());
    start = std::max(start, free_at[static_cast<std::size_t>(share.slots) - 1]);
    for (int i = 0; i < share.slots; ++i)
      free_at[static_cast<std::size_t>(i)] = start + share.seconds;
    end = std::max(end, start + share.seconds);
  }
  return end;
}

}  // namespace

TEST_CASE("runs that fit side by side share a node for the time of the longest run") {
  const auto nodes = co_schedule({{0, 1, 10}, {1, 2, 30}, {2, 1, 20}}, 4, 100);
  REQUIRE(nodes.size() == 1);
  CHECK(nodes[0].seconds == 30);
  CHECK(nodes[0].slots == 4);
  CHECK(nodes[0].runs[0].run == 1);
  CHECK(nodes[0].runs[2].run == 0);
}

TEST_CASE("runs follow each other up to the time limit, then a new node is used") {
  const auto nodes =
      co_schedule({{0, 2, 40}, {1, 2, 40}, {2, 2, 40}, {3, 2, 40}, {4, 2, 40}}, 4, 80);
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0].runs.size() == 4);
  CHECK(nodes[0].seconds == 80);
  CHECK(nodes[1].runs.size() == 1);
  CHECK(nodes[1].slots == 2);
}

TEST_CASE("a short run fills a gap on an earlier node") {
  const auto nodes = co_schedule({{0, 3, 60}, {1, 3, 60}, {2, 1, 10}}, 4, 60);
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0].runs.size() == 2);
  CHECK(nodes[0].runs[1].run == 2);
}

TEST_CASE("random runs are each on one node within its slots and its time limit") {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    const int slots = 1 + static_cast<int>(random() % 8);
    std::vector<NodeShare> shares;
    for (std::size_t i = 0; i < 60; ++i) {
      shares.push_back(
          {i, 1 + static_cast<int>(random() % static_cast<unsigned>(slots)), 1.0 + random() % 100});
    }
    std::vector<int> seen(shares.size());
    for (const NodePlan& node : co_schedule(shares, slots, 150)) {
      CHECK(node.seconds <= 150);
      CHECK(node.seconds == play(node, slots));
      CHECK(node.slots <= slots);
      for (const NodeShare& share : node.runs) ++seen[share.run];
    }
    CHECK(std::count(seen.begin(), seen.end(), 1) == 60);
  }
}

TEST_CASE("a short run starts next to a long run that was placed before it") {
  std::vector<NodeShare> shares;
  for (std::size_t i = 0; i < 8; ++i) shares.push_back({i, i < 4 ? 1 : 3, 10});
  const auto nodes = co_schedule(shares, 4, 100);
  REQUIRE(nodes.size() == 1);
  CHECK(nodes[0].seconds == 40);
  CHECK(play(nodes[0], 4) == 40);
}

TEST_CASE("runs that end early do not delay other runs") {
  std::mt19937 random(11);
  for (int round = 0; round < 50; ++round) {
    std::vector<NodeShare> shares;
    for (std::size_t i = 0; i < 40; ++i)
      shares.push_back({i, 1 + static_cast<int>(random() % 4), 1.0 + random() % 100});
    for (NodePlan node : co_schedule(shares, 4, 300)) {
      for (NodeShare& share : node.runs) share.seconds *= (random() % 100) / 100.0;
      CHECK(play(node, 4) <= node.seconds);
    }
  }
}

TEST_CASE("a shared node costs at most as much as its runs alone") {
  const auto slot_seconds = [](int slots, double seconds) { return slots * seconds; };
  const auto share = [&](std::vector<NodeShare> shares, double limit_s) {
    for (NodeShare& one : shares) one.alone = one.slots * one.seconds;
    return share_nodes(std::move(shares), 4, limit_s, slot_seconds);
  };
  const auto narrow = share({{0, 2, 30}, {1, 2, 30}, {2, 1, 30}, {3, 1, 30}}, 60);
  REQUIRE(narrow.nodes.size() == 1);
  CHECK(narrow.nodes[0].slots == 3);
  CHECK(narrow.nodes[0].seconds == 60);
  const auto ragged = share({{0, 1, 60}, {1, 1, 50}, {2, 1, 50}}, 60);
  REQUIRE(ragged.nodes.size() == 1);
  CHECK(ragged.nodes[0].seconds == 50);
  CHECK(ragged.alone == std::vector<std::size_t>{0});
  CHECK(ragged.too_dear == 1);
  const auto none = share({{0, 1, 60}, {1, 1, 50}}, 60);
  CHECK(none.nodes.empty());
  CHECK(none.alone.size() == 2);
  CHECK(share({{0, 3, 60}, {1, 2, 60}}, 60).too_dear == 0);
}

TEST_CASE("packing 100,000 runs is fast") {
  std::vector<NodeShare> shares;
  for (std::size_t i = 0; i < 100'000; ++i)
    shares.push_back({i, 1 + static_cast<int>(i % 3), 60.0 + i % 977});
  std::size_t runs = 0;
  for (const NodePlan& node : co_schedule(shares, 4, 3600)) runs += node.runs.size();
  CHECK(runs == 100'000);
}
