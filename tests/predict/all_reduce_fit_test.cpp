// SPDX-License-Identifier: Apache-2.0
#include "predict/all_reduce_fit.hpp"

#include <catch2/catch.hpp>

using namespace dlscale;
using contract::AllReduceTime;

namespace {

double ring(int gpus, double bytes, double alpha, double beta) {
  return 2.0 * (gpus - 1) * alpha + 2.0 * (gpus - 1) / gpus * bytes * beta;
}

/// Returns the times for `sizes` message sizes, each twice the previous size, starting at 1 KiB.
/// Latency and bandwidth change at `border` bytes.
std::vector<AllReduceTime> measured(int gpus, int sizes, std::int64_t border) {
  std::vector<AllReduceTime> times;
  std::int64_t bytes = 1024;
  for (int i = 0; i < sizes; ++i, bytes *= 2) {
    const double seconds = bytes < border ? ring(gpus, double(bytes), 2e-6, 1e-9)
                                          : ring(gpus, double(bytes), 40e-6, 1e-10);
    times.push_back({"nvswitch", 1, gpus, bytes, seconds});
  }
  return times;
}

}  // namespace

TEST_CASE("times with one latency and bandwidth are one range") {
  const auto fits = predict::fit_all_reduces(measured(8, 12, std::int64_t{1} << 40));
  REQUIRE(fits.size() == 1);
  CHECK(fits[0].least_bytes == 1024);
  CHECK(fits[0].most_bytes == 1024 << 11);
  CHECK(fits[0].latency_s.value == Approx(2e-6));
  CHECK(fits[0].seconds_per_byte.value == Approx(1e-9));
  CHECK(fits[0].points == 12);
}

TEST_CASE("a change of protocol is found at its size") {
  const auto fits = predict::fit_all_reduces(measured(4, 16, 1 << 18));
  REQUIRE(fits.size() == 2);
  CHECK(fits[0].most_bytes == 1 << 17);
  CHECK(fits[1].least_bytes == 1 << 18);
  CHECK(fits[0].latency_s.value == Approx(2e-6));
  CHECK(fits[1].latency_s.value == Approx(40e-6));
  CHECK(fits[1].seconds_per_byte.value == Approx(1e-10));
}

TEST_CASE("placements are fitted separately, and placements with two sizes are skipped") {
  auto times = measured(8, 6, std::int64_t{1} << 40);
  times.push_back({"nvswitch", 2, 16, 1024, 1e-4});
  times.push_back({"nvswitch", 2, 16, 4096, 1e-4});
  times.push_back({"pcie", 1, 8, 1024, 1e-3});
  const auto fits = predict::fit_all_reduces(times);
  REQUIRE(fits.size() == 1);
  CHECK(fits[0].topology == "nvswitch");
  CHECK(fits[0].nodes == 1);
}

TEST_CASE("the median of several times of one size counts") {
  auto times = measured(2, 8, std::int64_t{1} << 40);
  const auto clean = predict::fit_all_reduces(times);
  for (const AllReduceTime& time : measured(2, 8, std::int64_t{1} << 40)) {
    times.push_back(time);
    times.push_back(time);
    times.back().seconds *= 50;
  }
  const auto fits = predict::fit_all_reduces(times);
  REQUIRE(fits.size() == 1);
  CHECK(fits[0].latency_s.value == Approx(clean[0].latency_s.value));
}

TEST_CASE("the time of summation is the difference of reduce-scatter and all-gather") {
  std::map<std::int64_t, double> scatter, gather;
  for (std::int64_t bytes = 1 << 20; bytes <= 1 << 24; bytes *= 2) {
    const double arrived = 3.0 / 4 * static_cast<double>(bytes);
    gather[bytes] = 1e-5 + arrived * 1e-10;
    scatter[bytes] = 1e-5 + arrived * 1.25e-10;
  }
  const auto sum = predict::fit_summation(4, scatter, gather);
  CHECK(sum.value == Approx(0.25e-10));
  CHECK(sum.low <= sum.value);
  scatter.erase(scatter.begin(), std::prev(scatter.end(), 2));
  CHECK(predict::fit_summation(4, scatter, gather).value == 0);
}
