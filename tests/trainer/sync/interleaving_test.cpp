// SPDX-License-Identifier: Apache-2.0
// Tests of ranks that are delayed at random: in any order of events, styles continue and learn the
// same.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <random>
#include <thread>

#include "tests/trainer/sync/replica.hpp"
#include "tests/trainer/watchdog.hpp"
#include "trainer/comm/thread.hpp"

using namespace dlscale;
using namespace dlscale::trainer;
using test::Training;

namespace {

constexpr int kRounds = 40, kSteps = 5;  // each step has a different interleaving

struct Style {
  const char* framework;
  int zero_stage;
  const char* overlap;
};

/// Runs a short training of 3 ranks, each delayed at its own random times.
std::vector<double> train_with_delays(const Style& style, int round) {
  Training training;
  training.widths = {3, 4, 4, 2};
  training.steps = kSteps;
  training.batch_per_rank = 1;
  training.options.zero_stage = style.zero_stage;
  training.options.overlap_comm = style.overlap;
  training.options.reduce_bucket_elements = 10;
  training.options.bucket_cap_mb = training.options.first_bucket_mb = 1e-5;
  std::vector<double> parameters;
  run_as_threads(3, [&](Communicator& rank) {
    std::mt19937 random(static_cast<unsigned>(round * 3 + rank.rank()));
    const auto delay = [&random](int) {
      if (random() % 2 == 0) return;
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
    };
    Training mine = training;
    mine.before_step = mine.late_in_backward = delay;
    auto found =
        test::train_replica(mine, base::find(sync_table(), "framework", style.framework), rank);
    if (rank.rank() == 0) parameters = std::move(found);
  });
  return parameters;
}

}  // namespace

TEST_CASE("ranks neither deadlock nor train differently in 200 random interleavings") {
  const Style style = GENERATE(Style{"synchronous", 2, "auto"}, Style{"ddp", 2, "auto"},
                               Style{"horovod", 2, "auto"}, Style{"deepspeed", 0, "off"},
                               Style{"deepspeed", 1, "off"}, Style{"deepspeed", 1, "on"},
                               Style{"deepspeed", 2, "off"}, Style{"deepspeed", 2, "on"});
  std::atomic<int> round{0};
  const auto all_rounds = [&] {
    const auto expected = train_with_delays(style, 0);
    for (round = 1; round < kRounds; ++round) {
      if (train_with_delays(style, round) != expected) return false;
    }
    return true;
  };
  CHECK(test::watched(all_rounds, round, style.framework));
}
