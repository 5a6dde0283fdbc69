// SPDX-License-Identifier: Apache-2.0
#include "trainer/bench/bench_comm.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "base/error.hpp"
#include "trainer/bench/kernel_timer.hpp"

using namespace dlscale;
using Catch::Contains;
using trainer::read_comm_bench;

namespace {

std::vector<contract::CommTime> measured(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--communicator", "thread", "--iterations", "3", "--warm-up",
                                     "1", "--topology", "one process"});
  std::vector<contract::CommTime> times;
  trainer::measure_threads(read_comm_bench(arguments),
                           [&](const contract::CommTime& time, int size, int sizes) {
                             CHECK(size == static_cast<int>(times.size()));
                             CHECK(size < sizes);
                             times.push_back(time);
                           });
  return times;
}

}  // namespace

TEST_CASE("every collective computes correct results at every size in fp32 and bf16") {
  const std::string precision = GENERATE("fp32", "bf16");
  const std::string ranks = GENERATE("1", "2", "3");
  const auto times = measured({"--collectives", "all", "--threads", ranks, "--precision", precision,
                               "--max", "4KiB", "--factor", "8"});
  std::map<std::string, std::set<std::int64_t>> sizes;
  for (const contract::CommTime& each : times) {
    INFO(each.collective << " of " << each.bytes << " B between " << ranks);
    CHECK(each.wrong == 0);
    CHECK(each.seconds > 0);
    CHECK(each.iterations == 3);
    CHECK(std::to_string(each.ranks) == ranks);
    CHECK(each.topology == "one process");
    CHECK(sizes[each.collective].insert(each.bytes).second);
  }
  CHECK(sizes.size() == 5);
  CHECK(sizes.contains("reduce"));
}

TEST_CASE("calls can rotate between arrays, and the rotation is recorded") {
  const auto times = measured({"--collectives", "all", "--threads", "2", "--min", "1KiB", "--max",
                               "4KiB", "--rotate", "8KiB"});
  REQUIRE(times.size() == 15);
  for (const contract::CommTime& each : times) {
    CHECK(each.wrong == 0);
    CHECK(each.seconds > 0);
    CHECK(each.made_with.at("rotated_bytes") == "8192");
  }
  CHECK(measured({"--max", "4"}).at(0).made_with.count("rotated_bytes") == 0);
}

TEST_CASE("bandwidths are defined as in nccl-tests") {
  CHECK(trainer::bus_factor("all_reduce", 4) == 1.5);
  CHECK(trainer::bus_factor("reduce_scatter", 4) == 0.75);
  CHECK(trainer::bus_factor("all_gather", 4) == 0.75);
  CHECK(trainer::bus_factor("broadcast", 4) == 1);
  CHECK(trainer::bus_factor("reduce", 4) == 1);
  const auto times = measured({"--threads", "2", "--min", "1KiB", "--max", "1KiB"});
  REQUIRE(times.size() == 1);
  CHECK(times[0].algbw_gbs == Approx(1024 / times[0].seconds * 1e-9));
  // The bus factor 2(n-1)/n is 1 for n = 2 ranks.
  CHECK(times[0].busbw_gbs == Approx(times[0].algbw_gbs));
}

TEST_CASE(
    "message sizes are whole elements, and multiples of the rank count where ranks have shares") {
  const trainer::CommSweep sweep{.least_bytes = 4, .most_bytes = 64, .factor = 2};
  using Counts = std::vector<std::int64_t>;
  CHECK(sweep_counts(sweep, "all_reduce", 3) == Counts{1, 2, 4, 8, 16});
  CHECK(sweep_counts(sweep, "all_gather", 3) == Counts{3, 6, 15});
  trainer::CommSweep halves = sweep;
  halves.precision = "bf16";
  CHECK(sweep_counts(halves, "broadcast", 3) == Counts{2, 4, 8, 16, 32});
}

TEST_CASE("a median has an interval if there are at least six values") {
  CHECK(trainer::timing_of({3, 1, 2}).median_s == 2);
  CHECK(trainer::timing_of({3, 1, 2}).high_s == 0);
  const trainer::Timing ten = trainer::timing_of({10, 9, 8, 7, 6, 5, 4, 3, 2, 1});
  CHECK(ten.median_s == 5.5);
  CHECK(ten.low_s == 2);
  CHECK(ten.high_s == 9);
  CHECK(ten.mean_s == 5.5);
  CHECK(ten.deviation_s == Approx(3.02765));
}

TEST_CASE("invalid arguments of the communication benchmark are rejected") {
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& message) {
    CHECK_THROWS_WITH(read_comm_bench(arguments), Contains(message));
    CHECK_THROWS_AS(read_comm_bench(arguments), base::UsageError);
  };
  refused({"--collective", "all"}, "did you mean \"--collectives\"?");
  refused({"--collectives", "all_reduce,al_gather"}, "did you mean \"all_gather\"?");
  refused({"--communicator", "nncl"}, "did you mean \"nccl\"?");
  refused({"--all-reduce", "rings"}, "did you mean \"ring\"?");
  refused({"--precision", "fp8"}, "unknown precision \"fp8\"");
  refused({"--max"}, "--max: a value is missing");
  refused({"--max", "5 apples"}, "--max 5 apples: expected a number of bytes");
  refused({"--min", "8KiB", "--max", "4KiB"}, "--max 4096 is less than --min 8192");
  refused({"--factor", "1"}, "--factor: must be above 1");
  refused({"--seconds", "-1"}, "--seconds -1: expected a number above 0");
  refused({"--iterations", "0"}, "expected a whole number of at least 1");
  refused({"more"}, "unknown option \"more\"");
}
