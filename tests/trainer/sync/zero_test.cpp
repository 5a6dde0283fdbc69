// SPDX-License-Identifier: Apache-2.0
// What is observable of DeepSpeed's ZeRO: partitions, buckets, bytes.
#include <catch2/catch.hpp>
#include <numeric>

#include "base/error.hpp"
#include "tests/trainer/sync/recorder.hpp"
#include "tests/trainer/sync/replica.hpp"
#include "tests/trainer/sync/zero_check.hpp"
#include "trainer/comm/single.hpp"
#include "trainer/comm/thread.hpp"

using namespace dlscale;
using namespace dlscale::trainer;
using test::Recorder;
using test::Training;

namespace {

using Bytes = std::vector<std::int64_t>;

constexpr std::int64_t kLayer = 64 * 64;

const SyncEntry& deepspeed() {
  return base::find<SyncEntry>(sync_table(), "framework", "deepspeed");
}

/// Six equal layers without bias.
Training six_layers(int stage) {
  Training training;
  training.widths = {64, 64, 64, 64, 64, 64, 64};
  training.bias = false;
  training.steps = 3;
  training.options.zero_stage = stage;
  return training;
}

Bytes all_reduces_of_a_step(Training training) {
  const auto alone = make_single();
  Recorder recorder(*alone);
  Bytes last;
  training.after_step = [&](int, double) { last = recorder.take(); };
  test::train_replica(training, deepspeed(), recorder);
  return last;
}

std::vector<double> train_three(const Training& training) {
  std::vector<double> parameters;
  run_as_threads(3, [&](Communicator& rank) {
    auto mine = test::train_replica(training, deepspeed(), rank);
    if (rank.rank() == 0) parameters = std::move(mine);
  });
  return parameters;
}

}  // namespace

TEST_CASE("a bucket that cannot take the next gradient is reduced") {
  for (const int stage : {0, 1, 2}) {
    Training training = six_layers(stage);
    INFO("stage " << stage);
    CHECK(all_reduces_of_a_step(training) == Bytes{6 * kLayer * 8});
    training.options.reduce_bucket_elements = 2 * kLayer + 1;
    CHECK(all_reduces_of_a_step(training) == Bytes(3, 2 * kLayer * 8));
    training.options.reduce_bucket_elements = kLayer / 2;  // each gradient is larger than a bucket
    CHECK(all_reduces_of_a_step(training) == Bytes(6, kLayer * 8));
  }
}

TEST_CASE("all ways to reduce and gather teach the same") {
  Training training;
  training.options.zero_stage = 0;
  const auto expected = train_three(training);
  for (const int stage : {1, 2}) {
    for (const char* overlap : {"off", "on"}) {
      for (const bool to_owners : {false, true}) {
        for (const std::int64_t elements : {100, 500'000'000}) {
          training.options.zero_stage = stage;
          training.options.overlap_comm = overlap;
          training.options.use_reduce_scatter = to_owners;
          training.options.reduce_bucket_elements = elements;
          training.options.allgather_bucket_elements = elements;
          INFO("stage " << stage << ", overlap " << overlap << ", to owners " << to_owners);
          CHECK(train_three(training) == expected);
        }
      }
    }
  }
}

TEST_CASE("a rank's optimizer has its part of the parameters, rounded up, and no more") {
  for (const int ranks : {1, 2, 3, 4}) {
    run_as_threads(ranks, [&](Communicator& rank) {
      const auto seen = test::look_at_zero({7, 5, 3}, 2, rank);
      const std::int64_t each = (seen.parameters + ranks - 1) / ranks;
      if (seen.optimized_elements != each) throw std::logic_error("a partition of another size");
    });
  }
}

TEST_CASE("after backward stage 2 keeps no gradient but the partition's, stage 1 none to send") {
  for (const int stage : {1, 2}) {
    const auto alone = make_single();
    const auto seen = test::look_at_zero({7, 5, 3}, stage, *alone);
    INFO("stage " << stage);
    CHECK(seen.gradients_in_backward == (stage == 2 ? 0 : seen.tensors));
    CHECK(seen.gradients_after_backward == 0);
  }
}

TEST_CASE("what fills the last partition up is zero and stays so") {
  run_as_threads(4, [&](Communicator& rank) {
    const auto seen = test::look_at_zero({7, 5, 3}, 2, rank);
    if (rank.rank() == 3 && !seen.padding_is_zero) throw std::logic_error("padding has changed");
  });
}

TEST_CASE("bytes of a step: all gradients and one partition are handed to collectives") {
  run_as_threads(3, [&](Communicator& rank) {
    const auto seen = test::look_at_zero({7, 5, 3}, 2, rank);
    const std::int64_t each = (seen.parameters + 2) / 3;
    if (seen.bytes != 8 * (seen.parameters + each)) throw std::logic_error("other bytes");
  });
}
