// SPDX-License-Identifier: Apache-2.0
// Tests of the search for the best fusion threshold and cycle time.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/fake_clock.hpp"
#include "tests/trainer/sync/horovod/ranks.hpp"
#include "trainer/sync/horovod/autotune.hpp"

using namespace dlscale;
using namespace dlscale::trainer::horovod;
using trainer::Communicator;

namespace {

/// Returns a score that is highest at (x, y), on a logarithmic scale.
double hill(const std::vector<double>& point, double x, double y) {
  return 10 - std::abs(std::log2(point[0] / x)) - std::abs(std::log2(point[1] / y));
}

std::vector<double> climbed(double x, double y) {
  CoordinateSearch search({{128, 1, 1024}, {1, 0.25, 64}});
  int scores = 0;
  for (; !search.done() && scores < 100; ++scores) search.tell(hill(search.point(), x, y));
  CHECK(scores < 30);
  search.tell(1000);  // a finished search ignores scores
  return search.point();
}

Response reduced(const std::string& name, std::int64_t count) {
  return {{name}, trainer::ElementType::float32, count, ""};
}

}  // namespace

TEST_CASE("the search finds the maximum in every direction and at the bounds") {
  CHECK(climbed(8, 16) == std::vector<double>{8, 16});
  CHECK(climbed(512, 0.5) == std::vector<double>{512, 0.5});
  CHECK(climbed(128, 1) == std::vector<double>{128, 1});
  CHECK(climbed(1e6, 1e6) == std::vector<double>{1024, 64});
  CHECK(climbed(1e-6, 1e-6) == std::vector<double>{1, 0.25});
}

TEST_CASE("the search ends if all scores are equal") {
  CoordinateSearch search({{128, 1, 1024}, {1, 0.25, 64}});
  int scores = 0;
  for (; !search.done() && scores < 100; ++scores) search.tell(1);
  CHECK(search.done());
  CHECK(search.point() == std::vector<double>{128, 1});
}

TEST_CASE("a score is complete when a tensor arrives for the eleventh time") {
  const test::FakeClock clock;
  Autotune autotune({128, 1}, clock);
  for (int step = 0; step < 10; ++step) {
    CHECK_FALSE(autotune.record({reduced("a", 1)}));
    CHECK_FALSE(autotune.record({reduced("b", 1)}));
  }
  CHECK_FALSE(autotune.record({}));
  CHECK(autotune.record({reduced("a", 1)}));
}

TEST_CASE("all ranks tune to rank 0's best setting, regardless of their own measurements") {
  const auto tuned = test::on_ranks<std::vector<double>>(3, [](Communicator& rank) {
    test::FakeClock clock;
    Tuned setting{128, 1};
    Autotune autotune(setting, clock);
    std::vector<double> trail;
    while (!autotune.done() && trail.size() < 10000) {
      // A step of rank 0 is fastest with 16 MiB and 4 ms. The other ranks measure other times.
      clock.now_s += rank.rank() == 0
                         ? 20 - hill({setting.fusion_threshold_mb, setting.cycle_time_ms}, 16, 4)
                         : 1 + rank.rank();
      if (autotune.record({reduced("a", 1000)})) setting = autotune.agree(rank);
      trail.push_back(setting.fusion_threshold_mb);
      trail.push_back(setting.cycle_time_ms);
    }
    return trail;
  });
  CHECK(tuned[1] == tuned[0]);
  CHECK(tuned[2] == tuned[0]);
  REQUIRE(tuned[0].size() < 10000);
  CHECK(tuned[0].back() == 4);
  CHECK(tuned[0][tuned[0].size() - 2] == 16);
}
