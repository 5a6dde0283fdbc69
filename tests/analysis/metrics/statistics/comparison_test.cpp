// SPDX-License-Identifier: Apache-2.0
// Tests of effects, detectable differences, the permutation test and the correction for multiple
// tests.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "analysis/metrics/statistics/effect.hpp"
#include "tests/analysis/metrics/statistics/noise.hpp"
#include "tests/support/skip.hpp"

namespace dlscale::analysis {
namespace {

using test::nef_times;
using test::Noise;

/// Returns, for each run, the loading time plus the compute time of the slowest rank, from the
/// files of the published study.
std::vector<double> times_from(const std::filesystem::path& folder) {
  std::vector<double> times;
  for (int run = 1; run <= 10; ++run) {
    std::ifstream file(folder / ("times_run" + std::to_string(run) + ".csv"));
    std::string line, cell;
    double slowest = 0;
    for (std::getline(file, line); std::getline(file, line);) {
      std::istringstream cells(line);
      double sum = 0;
      for (int i = 0; i < 5 && std::getline(cells, cell, ','); ++i)
        sum += i < 3 ? 0 : std::stod(cell);
      slowest = std::max(slowest, sum);
    }
    times.push_back(slowest);
  }
  return times;
}

struct Published {
  int batch;
  double ratio, delta, p;
};
constexpr Published kPublished[] = {{16, 1.048, 0.16, 0.5787},
                                    {32, 1.142, 0.34, 0.2176},
                                    {64, 1.353, 0.86, 0.0005},
                                    {128, 1.273, 0.68, 0.0089}};

void check(const Published& row, const std::vector<double>& two, const std::vector<double>& three) {
  INFO("batch " << row.batch);
  CHECK(hodges_lehmann_ratio(two, three).value == Approx(row.ratio).margin(6e-4));
  CHECK(cliffs_delta(two, three) == Approx(row.delta));
  CHECK(mann_whitney(two, three).p == Approx(row.p).margin(5e-5));
}

}  // namespace

TEST_CASE("effects of 3 GPUs instead of 2 are those of the published times") {
  for (const Published& row : kPublished) {
    check(row, nef_times(row.batch, 2), nef_times(row.batch, 3));
  }
}

TEST_CASE("the study's own files give the published effects") {
  const char* data = std::getenv("DLSCALE_TEST_DATA");
  if (data == nullptr) {
    test::skip("DLSCALE_TEST_DATA is not set");
    return;
  }
  const auto root = std::filesystem::path(data) / "scaling/nef-densenet121/gpu/gpu_experiments";
  for (const Published& row : kPublished) {
    const std::string name = "bs" + std::to_string(row.batch) + "_gpus";
    check(row, times_from(root / (name + "2")), times_from(root / (name + "3")));
  }
}

TEST_CASE("the interval of an effect excludes 1 if the test rejects") {
  CHECK(hodges_lehmann_ratio(nef_times(64, 2), nef_times(64, 3)).interval.low > 1);
  CHECK(hodges_lehmann_ratio(nef_times(128, 2), nef_times(128, 3)).interval.low > 1);
  CHECK(hodges_lehmann_ratio(nef_times(32, 2), nef_times(32, 3)).interval.low < 1);
  CHECK(hodges_lehmann_ratio({2, 3}, {1}).interval == Interval{Interval::Kind::Range, 2, 3});
  CHECK(hodges_lehmann_ratio({2}, {1}).interval.kind == Interval::Kind::None);
}

TEST_CASE("Cliff's delta is 1 for separate samples and 0 for equal samples") {
  CHECK(cliffs_delta({3, 4}, {1, 2}) == 1);
  CHECK(cliffs_delta({1, 2}, {3, 4}) == -1);
  CHECK(cliffs_delta({1, 2}, {1, 2}) == 0);
}

TEST_CASE("the permutation test counts divisions of the logarithms") {
  CHECK(permutation_test_of_logs({1, 2, 4}, {8, 16, 32}).p == Approx(0.1));
  CHECK(permutation_test_of_logs({1, 8}, {2, 4}).p == 1);
  const TestResult ten = permutation_test_of_logs(nef_times(64, 2), nef_times(64, 3));
  CHECK(ten.exact);
  CHECK(ten.p < 0.01);
  const TestResult drawn =
      permutation_test_of_logs(std::vector<double>(12, 1.0), std::vector<double>(12, 2.0));
  CHECK_FALSE(drawn.exact);
  CHECK(drawn.p == Approx(1e-4));
}

TEST_CASE(
    "Holm's correction multiplies the smallest p by the number of tests and keeps the order") {
  CHECK(holm({0.01, 0.04, 0.03}) == std::vector<double>{0.03, 0.06, 0.06});
  CHECK(holm({0.6, 0.7}) == std::vector<double>{1, 1});
  CHECK(holm({}).empty());
}

TEST_CASE("a difference of the detectable size is found in about 8 of 10 cases") {
  for (const auto shape : {Noise::Shape::LogNormal, Noise::Shape::Nef}) {
    Noise noise(shape, 31);
    std::vector<double> ratios;
    for (int i = 0; i < 400; ++i) {
      ratios.push_back(detectable_ratio(noise.times(10), noise.times(10), 0.05).value());
    }
    const double ratio = median(ratios);
    int found = 0;
    for (int i = 0; i < 1000; ++i) {
      found += mann_whitney(noise.times(10, ratio), noise.times(10)).p <= 0.05;
    }
    INFO("shape " << static_cast<int>(shape) << ", ratio " << ratio);
    CHECK(found >= 700);
    CHECK(found <= 920);
  }
}

TEST_CASE("too few repeats for any significant result have no detectable difference") {
  CHECK_FALSE(detectable_ratio({1, 2, 3}, {1, 2, 3}, 0.05).has_value());
  CHECK(detectable_ratio({1, 2, 3, 4}, {1, 2, 3, 4}, 0.05).has_value());
  CHECK_FALSE(detectable_ratio({1, 2, 3, 4}, {1, 2, 3, 4}, 0.05 / 10).has_value());
}

TEST_CASE("the difference of two samples has the interval of the Mann-Whitney test") {
  const Estimate four = hodges_lehmann_difference({11, 12, 13, 14}, {1, 2, 3, 4});
  CHECK(four.value == 10);
  CHECK(four.interval == Interval{Interval::Kind::Confidence95, 7, 13});
  CHECK(hodges_lehmann_difference({-2, 3}, {1}).interval == Interval{Interval::Kind::Range, -3, 2});
  CHECK(hodges_lehmann_difference({2}, {1}).interval.kind == Interval::Kind::None);
}

TEST_CASE("the centre of a sample is the median of its pair means with Wilcoxon's interval") {
  const Estimate few = hodges_lehmann_center({1, 2, 10});
  CHECK(few.value == Approx(3.75));  // the median of 1, 1.5, 2, 5.5, 6, 10
  CHECK(few.interval == Interval{Interval::Kind::Range, 1, 10});
  const Estimate six = hodges_lehmann_center({1, 2, 3, 4, 5, 6});
  CHECK(six.value == Approx(3.5));
  CHECK(six.interval == Interval{Interval::Kind::Confidence95, 1, 6});
  CHECK(hodges_lehmann_center({7}).interval.kind == Interval::Kind::None);
}

TEST_CASE("intervals of centres cover the truth in 95 of 100 cases, exact and approximate") {
  for (const std::size_t n : {std::size_t{8}, std::size_t{30}}) {
    std::mt19937_64 engine(7);
    std::normal_distribution<double> noise(5, 1);
    int covered = 0;
    for (int i = 0; i < 1000; ++i) {
      std::vector<double> values(n);
      for (double& value : values) value = noise(engine);
      const Interval interval = hodges_lehmann_center(values).interval;
      covered += interval.low <= 5 && 5 <= interval.high;
    }
    INFO(n << ": " << covered);
    CHECK(covered >= 940);
    CHECK(covered <= 975);
  }
}

}  // namespace dlscale::analysis
