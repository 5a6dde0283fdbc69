// SPDX-License-Identifier: Apache-2.0
// Tests of gradients under Horovod.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/trainer/sync/horovod/gradient_check.hpp"
#include "tests/trainer/sync/horovod/ranks.hpp"
#include "tests/trainer/sync/replica.hpp"

using namespace dlscale;
using trainer::Communicator;

namespace {

std::vector<std::vector<double>> trained(const test::Training& training, int ranks) {
  const auto& horovod =
      base::find<trainer::SyncEntry>(trainer::sync_table(), "framework", "horovod");
  return test::on_ranks<std::vector<double>>(
      ranks, [&](Communicator& rank) { return test::train_replica(training, horovod, rank); });
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return a.size() == b.size() ? largest : INFINITY;
}

}  // namespace

TEST_CASE("2, 3 and 4 ranks train like one rank on the concatenated batch, in every variant") {
  for (const int ranks : {2, 3, 4}) {
    for (const int variant : {0, 1, 2, 3}) {
      test::Training training;
      if (variant == 1) training.options.fusion_threshold_mb = 0;
      if (variant == 2) training.options.cache_capacity = 2;
      if (variant == 3) training.options.hierarchical_all_reduce = true;
      const auto found = trained(training, ranks);
      INFO(ranks << " ranks, variant " << variant);
      CHECK(largest_difference(found[0], test::train_alone(training, ranks)) < 1e-10);
      for (const auto& other : found) CHECK(other == found[0]);
    }
  }
}

TEST_CASE("with compression the result stays close, and ranks stay equal") {
  test::Training training;
  training.options.compression = "fp16";
  const auto found = trained(training, 3);
  const double error = largest_difference(found[0], test::train_alone(training, 3));
  CHECK(error > 1e-10);
  CHECK(error < 1e-2);
  CHECK(found[1] == found[0]);
}

TEST_CASE("micro-batches are added up on their rank and exchanged with the last one") {
  for (const int ranks : {2, 3}) {
    CHECK_NOTHROW(trainer::run_as_threads(ranks, test::check_accumulation));
  }
}

TEST_CASE("a parameter that only one rank uses is reduced with zeros from the others") {
  CHECK_NOTHROW(trainer::run_as_threads(3, test::check_unused_on_others));
}

TEST_CASE("compression sends fp16 or bf16 values, and gradients keep their own precision") {
  for (const auto& [name, error] : {std::pair{"fp16", 2e-3}, {"bf16", 2e-2}}) {
    CHECK_NOTHROW(trainer::run_as_threads(
        3, [&](Communicator& rank) { test::check_compression(rank, name, error); }));
  }
  CHECK_THROWS_WITH(trainer::run_as_threads(
                        2, [](Communicator& rank) { test::check_compression(rank, "fp8", 1); }),
                    "horovod: there is no compression \"fp8\"");
}

TEST_CASE("a second backward pass in a step is an error that names the parameter") {
  for (const auto& text : test::on_ranks<std::string>(2, test::second_backward)) {
    CHECK(text ==
          "horovod: one step has two backward passes, but the gradient of \"first\" can be "
          "submitted only once per step");
  }
}
