// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/statistics/rank_tests.hpp"

#include <catch2/catch.hpp>

#include "tests/analysis/metrics/statistics/noise.hpp"

namespace dlscale::analysis {
namespace {

using test::nef_times;
using test::Noise;

/// Returns the fraction of tests in which two samples of the same distribution differ at the 5 %
/// level.
double false_positives(Noise::Shape shape, std::size_t n) {
  Noise noise(shape, 21);
  constexpr int kTrials = 1500;
  int found = 0;
  for (int i = 0; i < kTrials; ++i) found += mann_whitney(noise.times(n), noise.times(n)).p <= 0.05;
  return static_cast<double>(found) / kTrials;
}

}  // namespace

TEST_CASE("the published times of 2 and 3 GPUs differ at batches 64 and 128 only") {
  CHECK(mann_whitney(nef_times(16, 2), nef_times(16, 3)).p == Approx(0.5787).margin(5e-5));
  CHECK(mann_whitney(nef_times(32, 2), nef_times(32, 3)).p == Approx(0.2176).margin(5e-5));
  CHECK(mann_whitney(nef_times(64, 2), nef_times(64, 3)).p == Approx(0.0005).margin(5e-5));
  CHECK(mann_whitney(nef_times(128, 2), nef_times(128, 3)).p == Approx(0.0089).margin(5e-5));
}

TEST_CASE("separate samples have the smallest possible p") {
  CHECK(mann_whitney({1, 2, 3}, {4, 5, 6}).p == Approx(0.1));
  CHECK(smallest_p(3, 3) == Approx(0.1));
  CHECK(mann_whitney({1, 2, 3, 4}, {5, 6, 7, 8}).p == Approx(smallest_p(4, 4)));
  CHECK(smallest_p(10, 10) == Approx(2 / 184756.0));
  CHECK(smallest_p(0, 0) == 1);
}

TEST_CASE("the exact test handles ties") {
  // The 6 divisions of {1, 1, 2, 3} into pairs have the rank sums 3, 4.5, 4.5, 5.5, 5.5, 7 (1.5 +
  // 1.5, 1.5 + 3 twice, 1.5 + 4 twice, 3 + 4). Only the rank sums 3 and 7 are as far from the mean
  // 5 as the observed rank sum 3.
  const TestResult result = mann_whitney({1, 1}, {2, 3});
  CHECK(result.exact);
  CHECK(result.p == Approx(2 / 6.0));
  CHECK(mann_whitney({4, 4, 4}, {4, 4, 4}).p == 1);
}

TEST_CASE("the approximation for large samples agrees with the exact test") {
  Noise noise(Noise::Shape::Nef, 22);
  std::vector<double> a = noise.times(20, 1.1);
  const std::vector<double> b = noise.times(20);
  const double exact = mann_whitney(a, b).p;
  a.push_back(1.1);
  CHECK_FALSE(mann_whitney(a, b).exact);
  CHECK(mann_whitney(a, b).p == Approx(exact).margin(0.03));
  CHECK(mann_whitney(std::vector<double>(30, 1.0), std::vector<double>(30, 1.0)).p == 1);
}

TEST_CASE("at most 5 of 100 pairs without a difference are found different") {
  for (const auto shape : {Noise::Shape::LogNormal, Noise::Shape::Nef}) {
    for (const std::size_t n : {4, 6, 10}) {
      INFO("shape " << static_cast<int>(shape) << ", n = " << n);
      CHECK(false_positives(shape, n) <= 0.05);
    }
  }
}

TEST_CASE("ranks of shifts leave at most the tail probability outside") {
  CHECK(shift_rank(3, 3, 0.025) == 0);  // P(U = 0) = 1/20
  CHECK(shift_rank(4, 4, 0.025) == 1);  // P(U = 0) = 1/70, P(U <= 1) = 2/70
  CHECK(shift_rank(10, 10, 0.025) == 24);
  CHECK(shift_rank(30, 30, 0.025) == 317);
}

TEST_CASE("the Kruskal-Wallis test follows its formula") {
  // The rank sums 6, 15, 24 give H = 12 / 90 * (12 + 75 + 192) - 30 = 7.2 and p = exp(-3.6).
  CHECK(kruskal_wallis({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}).p == Approx(std::exp(-3.6)));
  CHECK(kruskal_wallis({{1, 2, 3}, {1, 2, 3}}).p == Approx(1));
  CHECK(kruskal_wallis({{1, 1}, {1, 1}}).p == 1);
  CHECK(kruskal_wallis({{1, 2, 3}}).p == 1);
}

TEST_CASE("ranks within blocks have an exact p, whatever the differences between blocks") {
  CHECK(p_of_high_ranks({}) == 1);
  CHECK(p_of_high_ranks({{{1, 2, 3, 9}, 3}}) == Approx(0.25));
  CHECK(p_of_high_ranks({{{1, 2, 3, 9}, 0}}) == Approx(1));
  CHECK(p_of_high_ranks({{{1, 2}, 1}, {{500, 100}, 0}, {{7, 8}, 1}}) == Approx(1 / 8.0));
  // The observed ranks are 3 and 2, each out of 3, with the sum 5. Of the 9 possible pairs, (3, 2),
  // (2, 3) and (3, 3) have a sum of at least 5.
  CHECK(p_of_high_ranks({{{1, 2, 3}, 2}, {{30, 10, 50}, 0}}) == Approx(3 / 9.0));
  CHECK(smallest_p_of_ranks({{{1, 2, 3}, 2}, {{30, 10, 50}, 0}}) == Approx(1 / 9.0));
}

TEST_CASE("equal values in a block share their ranks") {
  CHECK(p_of_high_ranks({{{5, 5, 5}, 1}}) == Approx(1));
  CHECK(p_of_high_ranks({{{1, 2, 2}, 1}}) == Approx(2 / 3.0));
  CHECK(p_of_high_ranks({{{1, 2, 2}, 1}, {{1, 2, 3}, 2}}) == Approx(2 / 9.0));
}

TEST_CASE("many members of many blocks keep their tiny probabilities") {
  std::vector<double> values(256);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  CHECK(p_of_high_ranks({{values, 255}, {values, 255}, {values, 255}}) ==
        Approx(1.0 / 256 / 256 / 256).epsilon(1e-6));
  CHECK(p_of_high_ranks({{values, 128}, {values, 127}}) == Approx(0.5).margin(0.01));
}

TEST_CASE("a single stratum has the p value of the Mann-Whitney test") {
  for (const auto& [batch, gpus] : {std::pair{16, 2}, std::pair{64, 2}, std::pair{128, 1}}) {
    const std::vector<double> a = nef_times(batch, gpus), b = nef_times(batch, 3);
    CHECK(stratified_mann_whitney({{a, b}}).p == Approx(mann_whitney(a, b).p));
  }
  CHECK(stratified_mann_whitney({{{1, 1, 2}, {1, 3, 3}}}).p ==
        Approx(mann_whitney({1, 1, 2}, {1, 3, 3}).p));
}

TEST_CASE("strata that agree give a smaller p value, and strata that disagree cancel") {
  const Stratum less{{1, 2, 3}, {4, 5, 6}}, more{{40, 50, 60}, {10, 20, 30}};
  const std::vector<Stratum> agreeing{less, less};
  CHECK(stratified_mann_whitney(agreeing).p == Approx(2.0 / 400));
  CHECK(stratified_mann_whitney(agreeing).p == Approx(smallest_p(agreeing)));
  CHECK(stratified_mann_whitney(agreeing).shift < 0);
  CHECK(stratified_mann_whitney({less, more}).p == Approx(1));
  CHECK(stratified_mann_whitney({less, more}).shift == 0);
}

TEST_CASE("differences between strata have no effect on the test") {
  const Stratum fast{{1, 3}, {2, 4}}, slow{{1001, 1003}, {1002, 1004}};
  CHECK(stratified_mann_whitney({fast, slow}).p == Approx(stratified_mann_whitney({fast, fast}).p));
}

TEST_CASE("large strata use the normal approximation") {
  Noise noise(Noise::Shape::Nef, 3);
  const std::vector<double> a = noise.times(40), b = noise.times(40);
  CHECK(stratified_mann_whitney({{a, b}}).p == Approx(mann_whitney(a, b).p).margin(0.01));
}

}  // namespace dlscale::analysis
