// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/stage_plan.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

using dlscale::trainer::cut_into_stages;
using Places = std::vector<std::size_t>;

namespace {

double dearest(const std::vector<double>& costs, const Places& places) {
  double most = 0;
  for (std::size_t s = 0; s + 1 < places.size(); ++s) {
    most = std::max(most, std::accumulate(costs.begin() + static_cast<long>(places[s]),
                                          costs.begin() + static_cast<long>(places[s + 1]), 0.0));
  }
  return most;
}

/// Returns the lowest possible cost of the most expensive stage, by trying every cut.
double least_dearest(const std::vector<double>& costs, std::size_t first, std::size_t stages) {
  if (stages == 1) {
    return std::accumulate(costs.begin() + static_cast<long>(first), costs.end(), 0.0);
  }
  double best = 1e300, sum = 0;
  for (std::size_t next = first + 1; next + stages - 1 <= costs.size(); ++next) {
    sum += costs[next - 1];
    best = std::min(best, std::max(sum, least_dearest(costs, next, stages - 1)));
  }
  return best;
}

}  // namespace

TEST_CASE("equal blocks are cut into equal stages") {
  CHECK(cut_into_stages({1, 1, 1, 1, 1, 1}, 3) == Places{0, 2, 4, 6});
  CHECK(cut_into_stages({1, 1, 1, 1}, 4) == Places{0, 1, 2, 3, 4});
  CHECK(cut_into_stages({5, 1, 1}, 1) == Places{0, 3});
}

TEST_CASE("an expensive block forms a stage of its own") {
  CHECK(cut_into_stages({9, 1, 1, 1}, 2) == Places{0, 1, 4});
  CHECK(cut_into_stages({1, 1, 1, 9}, 2) == Places{0, 3, 4});
}

TEST_CASE("no stage is empty, even if blocks cost nothing") {
  CHECK(cut_into_stages({0, 0, 0}, 3) == Places{0, 1, 2, 3});
  const Places places = cut_into_stages({0, 0, 4, 0}, 3);
  for (std::size_t s = 0; s < 3; ++s) CHECK(places[s] < places[s + 1]);
}

TEST_CASE("no other cut has a cheaper most expensive stage") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> costs(1 + random() % 8);
    for (double& cost : costs) cost = static_cast<double>(random() % 10);
    const std::size_t stages = 1 + random() % costs.size();
    const Places places = cut_into_stages(costs, stages);
    INFO("round " << round);
    CHECK(places.front() == 0);
    CHECK(places.back() == costs.size());
    CHECK(std::is_sorted(places.begin(), places.end()));
    CHECK(dearest(costs, places) == least_dearest(costs, 0, stages));
  }
}
