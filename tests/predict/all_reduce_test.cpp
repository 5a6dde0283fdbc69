// SPDX-License-Identifier: Apache-2.0
#include "predict/all_reduce.hpp"

#include <catch2/catch.hpp>

using namespace dlscale::predict;

namespace {

const Link kAltec{microseconds(30), gigabytes_per_s(12.24)};

double milliseconds(Seconds time) {
  return time.value * 1e3;
}

}  // namespace

TEST_CASE("the time of a ring all-reduce follows equation 1 of Barrachina et al.") {
  const std::pair<double, double> sizes_and_ms[] = {{531.5e6, 76.4106},
                                                    {553.4e6, 79.5417},
                                                    {102.2e6, 15.0319},
                                                    {31.9e6, 4.9809},
                                                    {500 * 1024.0, 0.4932},
                                                    {80 * 1024 * 1024.0, 12.4135},
                                                    {1024 * 1024 * 1024.0, 153.9370}};
  for (const auto& [bytes, ms] : sizes_and_ms) {
    CAPTURE(bytes);
    CHECK(milliseconds(ring_all_reduce(kAltec, 8, Bytes{bytes})) == Approx(ms).margin(0.001));
  }
}

TEST_CASE("the time of summation follows from the numbers that each rank adds") {
  const Link adding{{}, gigabytes_per_s(1e9), FlopPerSecond{1e9}};
  // Each of the 4 ranks adds three quarters of the 1000 numbers.
  CHECK(ring_all_reduce(adding, 4, Bytes{4000}).value == Approx(750e-9));
  CHECK(ring_all_reduce(adding, 4, Bytes{4000}, Bytes{2}).value == Approx(1500e-9));
}

TEST_CASE("ranks fill one node after the other") {
  CHECK(placement(1, 4).nodes == 1);
  CHECK(placement(4, 4).nodes == 1);
  CHECK(placement(5, 4).nodes == 2);
  CHECK(placement(5, 4).gpus == 5);
  CHECK(placement(1'000'000, std::numeric_limits<int>::max() / 2).nodes == 1);
}

TEST_CASE("the all-reduce of one rank takes no time") {
  const Network network{kAltec, kAltec};
  CHECK(ring_all_reduce(kAltec, 1, Bytes{1e9}).value == 0);
  CHECK(tree_all_reduce(kAltec, 1, Bytes{1e9}).value == 0);
  CHECK(all_reduce(network, {1, 1}, Bytes{1e9}).value == 0);
}

TEST_CASE("trees are faster for short messages on many ranks, rings for long ones on few") {
  const Network network{kAltec, kAltec};
  const auto time = [&](int ranks, double bytes, AllReduce algorithm) {
    return all_reduce(network, {ranks, ranks}, Bytes{bytes}, algorithm);
  };
  CHECK(time(1024, 1e3, AllReduce::tree) < time(1024, 1e3, AllReduce::ring));
  CHECK(time(4, 1e9, AllReduce::ring) < time(4, 1e9, AllReduce::tree));
  for (const int ranks : {2, 6, 64, 1000}) {
    for (const double bytes : {1.0, 1e4, 1e6, 1e9}) {
      const Seconds fastest = time(ranks, bytes, AllReduce::fastest);
      CHECK(fastest <= time(ranks, bytes, AllReduce::ring));
      CHECK(fastest <= time(ranks, bytes, AllReduce::tree));
    }
  }
}

TEST_CASE("ranks of one node use its links, ranks of several nodes the slowest link") {
  const Network network{{microseconds(2), gigabytes_per_s(200)},
                        {microseconds(5), gigabytes_per_s(25)}};
  const auto ring = [&](Placement ranks) {
    return all_reduce(network, ranks, Bytes{1e9}, AllReduce::ring).value;
  };
  CHECK(ring({1, 4}) == Approx(6 * 2e-6 + 1.5 * 1e9 / 200e9));
  CHECK(ring({4, 4}) == Approx(6 * 5e-6 + 1.5 * 1e9 / 25e9));
  // The ring has 14 hops, of which 2 are between the nodes.
  CHECK(ring({2, 8}) == Approx(12 * 2e-6 + 2 * 5e-6 + 1.75 * 1e9 / 25e9));
}

TEST_CASE("a rank sends up to twice the message, and a single rank sends nothing") {
  CHECK(sent_by_each(1, Bytes{100}).value == 0);
  CHECK(sent_by_each(2, Bytes{100}).value == 100);
  CHECK(sent_by_each(4, Bytes{100}).value == 150);
}
