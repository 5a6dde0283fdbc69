// SPDX-License-Identifier: Apache-2.0
#include "predict/all_reduce_fit.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "base/error.hpp"

using namespace dlscale;
using namespace dlscale::predict;
using Catch::Contains;
using contract::AllReduceTime;

namespace {

constexpr double kLatency = 5e-6, kPerByte = 1 / 200e9;

AllReduceTime on_ring(const std::string& topology, int nodes, int gpus, std::int64_t bytes) {
  const double seconds =
      2.0 * (gpus - 1) * kLatency + 2.0 * (gpus - 1) / gpus * static_cast<double>(bytes) * kPerByte;
  return {.topology = topology, .nodes = nodes, .gpus = gpus, .bytes = bytes, .seconds = seconds};
}

std::vector<AllReduceTime> measured_sizes(const std::string& topology,
                                          const std::vector<int>& counts) {
  std::vector<AllReduceTime> times;
  for (const int gpus : counts) {
    for (std::int64_t bytes = 1 << 10; bytes <= 1 << 30; bytes *= 4) {
      times.push_back(on_ring(topology, 1, gpus, bytes));
    }
  }
  return times;
}

}  // namespace

TEST_CASE("a measured size has its slowest measured time") {
  const AllReduceTable table({{.gpus = 2, .bytes = 1000, .seconds = 1e-4},
                              {.gpus = 2, .bytes = 1000, .seconds = 2e-4},
                              {.gpus = 2, .bytes = 4000, .seconds = 8e-4}});
  CHECK(table.estimate("", {1, 2}, Bytes{1000}).time.value == 2e-4);
  CHECK(table.estimate("", {1, 2}, Bytes{1000}).basis == Basis::interpolated);
}

TEST_CASE("times between two sizes are interpolated on log-log axes") {
  const AllReduceTable table(
      {{.gpus = 2, .bytes = 1000, .seconds = 1e-4}, {.gpus = 2, .bytes = 4000, .seconds = 4e-4}});
  CHECK(table.estimate("", {1, 2}, Bytes{2000}).time.value == Approx(2e-4));
}

TEST_CASE("latency and bandwidth are extrapolated beyond the measured sizes") {
  const AllReduceTable table(measured_sizes("", {4}));
  for (const double bytes : {8.0, 4.0 * (1 << 30)}) {
    const AllReduceEstimate estimate = table.estimate("", {1, 4}, Bytes{bytes});
    CHECK(estimate.basis == Basis::beyond_sizes);
    CHECK(estimate.time.value == Approx(6 * kLatency + 1.5 * bytes * kPerByte).epsilon(1e-3));
  }
}

TEST_CASE("other GPU counts are extrapolated only within one topology") {
  const AllReduceTable named(measured_sizes("nvswitch", {2, 4}));
  const AllReduceEstimate eight = named.estimate("nvswitch", {1, 8}, Bytes{1e8});
  CHECK(eight.basis == Basis::beyond_gpus);
  CHECK(eight.time.value == Approx(14 * kLatency + 1.75 * 1e8 * kPerByte).epsilon(1e-6));
  CHECK(eight.relative_error == Approx(0).margin(1e-6));
  CHECK_THROWS_WITH(named.estimate("pcie", {1, 8}, Bytes{1e8}),
                    Contains("8 GPUs on 1 node") && Contains("the topology \"pcie\""));
  CHECK_THROWS_WITH(named.estimate("nvswitch", {2, 16}, Bytes{1e8}), Contains("several nodes"));
  const AllReduceTable unnamed(measured_sizes("", {2, 4}));
  CHECK_THROWS_AS(unnamed.estimate("", {1, 8}, Bytes{1e8}), base::UsageError);
  CHECK_THROWS_WITH(unnamed.estimate("", {1, 8}, Bytes{1e8}), Contains("name the topology"));
}

TEST_CASE("latency and bandwidth of a ring are recovered and are never negative") {
  std::vector<int> gpus;
  std::vector<double> bytes, seconds;
  for (const AllReduceTime& time : measured_sizes("", {2, 4, 8})) {
    gpus.push_back(time.gpus);
    bytes.push_back(static_cast<double>(time.bytes));
    seconds.push_back(time.seconds);
  }
  const RingFit fit = fit_ring(gpus, bytes, seconds);
  CHECK(fit.latency.value == Approx(kLatency));
  CHECK(fit.seconds_per_byte == Approx(kPerByte));
  // Times that grow faster than the message size give a latency of 0, and falling times give a
  // slope of 0.
  CHECK(fit_ring({2, 2}, {1e3, 1e6}, {1e-6, 1e-2}).latency.value == 0);
  CHECK(fit_ring({2, 2}, {1e3, 1e6}, {1e-3, 1e-5}).seconds_per_byte == 0);
  CHECK(fit_ring({2}, {1e6}, {1e-3}).seconds_per_byte == Approx(1e-9));
}

TEST_CASE("the uncertainty between sizes is the error of estimates from neighbours") {
  const auto unsure = [](double jump) {
    std::vector<AllReduceTime> times;
    double seconds = 1e-4;
    for (std::int64_t bytes = 1 << 10; bytes <= 1 << 20; bytes *= 2, seconds *= 2) {
      const double factor = bytes == 1 << 15 ? jump : 1;
      times.push_back({.gpus = 2, .bytes = bytes, .seconds = seconds * factor});
    }
    const AllReduceTable table(times);
    CHECK(table.estimate("", {1, 2}, Bytes{1 << 14}).uncertainty() == 0.05);  // measured size
    CHECK(table.estimate("", {1, 2}, Bytes{1 << 22}).uncertainty() >= 0.1);
    return table.estimate("", {1, 2}, Bytes{3 << 13}).uncertainty();
  };
  CHECK(unsure(1) == 0.05);
  CHECK(unsure(1.5) > 0.15);
  CHECK(unsure(3) > unsure(1.5));
  const AllReduceTable two(
      {{.gpus = 2, .bytes = 1000, .seconds = 1e-4}, {.gpus = 2, .bytes = 4000, .seconds = 4e-4}});
  CHECK(two.estimate("", {1, 2}, Bytes{2000}).uncertainty() == 0.1);  // too few sizes
}

TEST_CASE("the uncertainty grows with the distance from the measured GPU counts") {
  const AllReduceTable table(measured_sizes("nvswitch", {4, 8}));
  const auto unsure = [&](int gpus) {
    return table.estimate("nvswitch", {1, gpus}, Bytes{1e8}).uncertainty();
  };
  CHECK(unsure(6) == Approx(0.1));
  CHECK(unsure(16) == Approx(0.4));
  CHECK(unsure(2) == Approx(0.4));
  CHECK(unsure(64) == Approx(1));  // as uncertain as with a data sheet
}

TEST_CASE("estimates grow with the message size") {
  const AllReduceTable table(measured_sizes("nvswitch", {2, 8}));
  for (const int gpus : {2, 5, 8}) {
    double before = 0;
    for (double bytes = 1; bytes < 1e11; bytes *= 1.7) {
      const double now = table.estimate("nvswitch", {1, gpus}, Bytes{bytes}).time.value;
      CHECK(now > before);
      before = now;
    }
  }
}
