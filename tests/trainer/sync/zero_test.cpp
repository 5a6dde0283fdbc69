// SPDX-License-Identifier: Apache-2.0
// Tests of DeepSpeed's ZeRO: partitions, buckets and bytes.
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <numeric>

#include "base/error.hpp"
#include "tests/trainer/sync/recorder.hpp"
#include "tests/trainer/sync/replica.hpp"
#include "tests/trainer/sync/stage3_check.hpp"
#include "tests/trainer/sync/zero_check.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/comm/single.hpp"
#include "trainer/comm/thread.hpp"

using namespace dlscale;
using namespace dlscale::trainer;
using test::Recorder;
using test::Training;

namespace {

using Bytes = std::vector<std::int64_t>;

constexpr std::int64_t kLayerNumbers = 64 * 64;

const SyncEntry& deepspeed() {
  return base::find<SyncEntry>(sync_table(), "framework", "deepspeed");
}

/// Returns a training of six equal layers without bias.
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

TEST_CASE("a bucket is reduced when the next gradient does not fit") {
  for (const int stage : {0, 1, 2}) {
    Training training = six_layers(stage);
    INFO("stage " << stage);
    CHECK(all_reduces_of_a_step(training) == Bytes{6 * kLayerNumbers * 8});
    training.options.reduce_bucket_elements = 2 * kLayerNumbers + 1;
    CHECK(all_reduces_of_a_step(training) == Bytes(3, 2 * kLayerNumbers * 8));
    training.options.reduce_bucket_elements =
        kLayerNumbers / 2;  // each gradient is larger than a bucket
    CHECK(all_reduces_of_a_step(training) == Bytes(6, kLayerNumbers * 8));
  }
}

TEST_CASE("all ways to reduce and gather train the same parameters") {
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

namespace {

/// Overlay that delays each all-reduce until open() is called or the timeout `patience` ends.
class Gate : public Overlay {
 public:
  Gate(Communicator& inner, std::chrono::milliseconds patience)
      : Overlay(inner), patience_(patience) {}
  /// Opens the gate. Returns whether an all-reduce waits, or starts to wait within the timeout.
  bool open() {
    std::unique_lock lock(mutex_);
    const bool found = changed_.wait_for(lock, patience_, [this] { return waiting_; });
    open_ = true;
    changed_.notify_all();
    return found;
  }

 private:
  void do_all_reduce(Span data, ReduceOp op) override {
    {
      std::unique_lock lock(mutex_);
      waiting_ = true;
      changed_.notify_all();
      changed_.wait_for(lock, patience_, [this] { return open_; });
      waiting_ = false;
    }
    Overlay::do_all_reduce(data, op);
  }

  std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false, waiting_ = false;
};

/// Returns whether the backward pass reaches the first layer while the first bucket waits. The
/// bucket contains three of the six layers.
bool goes_on_beside_a_reduction(const char* overlap, std::chrono::milliseconds patience) {
  const auto alone = make_single();
  Gate gate(*alone, patience);
  Training training = six_layers(2);
  training.steps = 1;
  training.options.overlap_comm = overlap;
  training.options.reduce_bucket_elements = 3 * kLayerNumbers;
  bool went_on = false;
  training.late_in_backward = [&](int) { went_on = gate.open(); };
  test::train_replica(training, deepspeed(), gate);
  return went_on;
}

}  // namespace

TEST_CASE("the backward pass continues during a reduction only with overlap_comm") {
  CHECK(goes_on_beside_a_reduction("on", std::chrono::seconds(20)));
  CHECK_FALSE(goes_on_beside_a_reduction("off", std::chrono::milliseconds(50)));
}

TEST_CASE("gradients that a rank lacks count as zeros, regardless of the parameters it uses") {
  for (const int stage : {0, 1, 2, 3}) {
    for (const char* overlap : {"off", "on"}) {
      for (const std::int64_t elements : {4, 50'000'000}) {
        contract::FrameworkOptions options;
        options.zero_stage = stage;
        options.overlap_comm = overlap;
        options.reduce_bucket_elements = elements;
        options.prefetch_elements = elements;
        options.persistence_threshold_elements = 0;
        INFO("stage " << stage << ", overlap " << overlap << ", buckets of " << elements);
        std::vector<double> learnt;
        run_as_threads(3, [&](Communicator& rank) {
          auto mine = test::learn_in_turns(options, rank);
          if (rank.rank() == 0) learnt = std::move(mine);
        });
        REQUIRE(learnt.size() == 6);
        for (std::size_t i = 0; i < learnt.size(); ++i) {
          CHECK(learnt[i] == Approx(1 - static_cast<double>(i + 1) / 3));
        }
      }
    }
  }
}

TEST_CASE("a rank's optimizer holds only its part of the parameters, rounded up") {
  for (const int ranks : {1, 2, 3, 4}) {
    run_as_threads(ranks, [&](Communicator& rank) {
      const auto seen = test::look_at_zero({7, 5, 3}, 2, rank);
      const std::int64_t each = (seen.parameters + ranks - 1) / ranks;
      if (seen.optimized_elements != each) throw std::logic_error("a partition of another size");
    });
  }
}

TEST_CASE("stage 2 frees gradients during the backward pass, and stage 1 frees them after it") {
  for (const int stage : {1, 2}) {
    const auto alone = make_single();
    const auto seen = test::look_at_zero({7, 5, 3}, stage, *alone);
    INFO("stage " << stage);
    CHECK(seen.gradients_in_backward == (stage == 2 ? 0 : seen.tensors));
    CHECK(seen.gradients_after_backward == 0);
  }
}

namespace {

/// Overlay that counts the bytes that a rank sends on average if collectives are as efficient as
/// rings.
class RingVolume : public Overlay {
 public:
  using Overlay::Overlay;
  double of_gradients = 0;  ///< bytes of gradients

 private:
  double share() const { return static_cast<double>(size() - 1) / size(); }
  void do_all_reduce(Span data, ReduceOp op) override {
    of_gradients += 2 * share() * static_cast<double>(data.bytes());
    Overlay::do_all_reduce(data, op);
  }
  void do_reduce(Span data, ReduceOp op, int root) override {
    of_gradients += share() * static_cast<double>(data.bytes());
    Overlay::do_reduce(data, op, root);
  }
  void do_reduce_scatter(Span in, Span out, ReduceOp op) override {
    of_gradients += share() * static_cast<double>(in.bytes());
    Overlay::do_reduce_scatter(in, out, op);
  }
};

}  // namespace

TEST_CASE("gradients reduced to their owners send half as many bytes as all-reduced gradients") {
  for (const int stage : {1, 2}) {
    for (const bool to_owners : {false, true}) {
      INFO("stage " << stage << ", to owners " << to_owners);
      Training training = six_layers(stage);
      training.steps = 1;
      training.options.use_reduce_scatter = to_owners;
      training.options.reduce_bucket_elements = 2 * kLayerNumbers + 1;
      double bytes = 0;
      run_as_threads(3, [&](Communicator& rank) {
        RingVolume volume(rank);
        Training mine = training;
        mine.before_step = [&](int) { volume.of_gradients = 0; };
        test::train_replica(mine, deepspeed(), volume);
        if (rank.rank() == 0) bytes = volume.of_gradients;
      });
      // S is the size of 6 layers, and N the number of ranks. Reductions to owners send (N-1)/N S
      // per rank, and all-reduces send twice as much.
      const double all = 2.0 / 3 * 6 * kLayerNumbers * 8;
      CHECK(bytes == Approx(to_owners ? all : 2 * all));
    }
  }
}

TEST_CASE("the padding of the last partition is zero and stays zero") {
  run_as_threads(4, [&](Communicator& rank) {
    const auto seen = test::look_at_zero({7, 5, 3}, 2, rank);
    if (rank.rank() == 3 && !seen.padding_is_zero) throw std::logic_error("padding has changed");
  });
}

TEST_CASE("the collectives of a step transfer all gradients and one partition") {
  run_as_threads(3, [&](Communicator& rank) {
    const auto seen = test::look_at_zero({7, 5, 3}, 2, rank);
    const std::int64_t each = (seen.parameters + 2) / 3;
    if (seen.bytes != 8 * (seen.parameters + each)) throw std::logic_error("other bytes");
  });
}

namespace {

constexpr std::int64_t kModel = test::kBlocks * test::kBlockElements;

contract::FrameworkOptions stage(int number) {
  contract::FrameworkOptions options;
  options.zero_stage = number;
  options.prefetch_elements = 0;
  options.persistence_threshold_elements = 0;
  options.reduce_bucket_elements = test::kBlockElements;
  return options;
}

/// Returns the measurements of rank 0 of `ranks`.
test::BlocksSeen blocks_of(const contract::FrameworkOptions& options, int ranks,
                           int micro_batches = 1) {
  test::BlocksSeen seen;
  run_as_threads(ranks, [&](Communicator& rank) {
    const auto mine = test::look_at_blocks(options, micro_batches, rank);
    if (rank.rank() == 0) seen = mine;
  });
  return seen;
}

/// Returns whether the values differ by at most 5 percent.
bool is_about(std::int64_t found, double expected) {
  return std::abs(static_cast<double>(found) - expected) <= 0.05 * expected;
}

}  // namespace

TEST_CASE("stage 3 holds only the parameters of the blocks in use and of prefetched blocks") {
  for (const int ahead : {0, 1, 2}) {
    auto options = stage(3);
    options.prefetch_elements = ahead * test::kBlockElements;
    const auto seen = blocks_of(options, 2);
    INFO(ahead << " blocks ahead");
    CHECK(seen.most_whole_in_forward == ahead + 1);
    CHECK(seen.most_whole_in_backward >= 1);
    CHECK(seen.most_whole_in_backward <= ahead + 2);
  }
}

TEST_CASE("stage 3 keeps blocks up to its threshold whole") {
  auto options = stage(3);
  options.persistence_threshold_elements = test::kBlockElements;
  const auto seen = blocks_of(options, 2);
  CHECK(seen.most_whole_in_forward == test::kBlocks);
  CHECK(seen.parameter_bytes == 8 * (kModel + kModel / 2));
}

TEST_CASE("each stage divides one more part of a rank's memory by the number of ranks") {
  for (const int ranks : {2, 3, 4}) {
    for (const int number : {0, 1, 2, 3}) {
      const auto seen = blocks_of(stage(number), ranks);
      const double all = 8.0 * static_cast<double>(kModel);
      INFO("stage " << number << ", " << ranks << " ranks");
      CHECK(is_about(seen.optimizer_bytes, number >= 1 ? all / ranks : all));
      CHECK(is_about(seen.gradient_bytes, number >= 1 ? all / ranks : all));
      CHECK(is_about(seen.parameter_bytes, number == 3 ? all / ranks : all));
    }
  }
}

TEST_CASE("the peak memory of a rank in training includes gradients and buckets by stage") {
  // A bucket has as many elements as a block.
  constexpr std::int64_t kBlock = test::kBlockElements;
  for (const int ranks : {2, 3, 4}) {
    const std::int64_t part = kModel / ranks;
    // All stages hold parameters, gradients and momentum. Stages 0 to 2 also hold a bucket. Stage 2
    // also holds the gradient that is copied to the bucket. Stage 3 also holds a block, the
    // gradient of the block and the copy of the gradient that is reduced.
    const std::int64_t expected[] = {3 * kModel + kBlock, 2 * (kModel + part) + kBlock,
                                     kModel + 2 * part + 2 * kBlock, 3 * part + 3 * kBlock};
    for (const int number : {0, 1, 2, 3}) {
      auto options = stage(number);
      options.overlap_comm = "off";
      const std::int64_t most = blocks_of(options, ranks).most_bytes / 8;
      INFO("stage " << number << ", " << ranks << " ranks: " << most << " of " << expected[number]);
      CHECK(most >= expected[number]);
      // The margin covers the outputs of blocks. In stage 3, the thread that reduces a copy of a
      // gradient may free the copy late.
      CHECK(most < expected[number] + kBlock / 2 + (number == 3 ? kBlock : 0));
    }
  }
}

TEST_CASE("the gradients of stage 3 need the same memory with any number of micro-batches") {
  for (const int ranks : {2, 4}) {
    const auto once = blocks_of(stage(3), ranks, 1).bytes_behind_backward;
    CHECK(blocks_of(stage(3), ranks, 3).bytes_behind_backward == once);
    // The bytes are those of parameters, momentum, gradients, and values to be added to the
    // gradients.
    CHECK(once >= 8 * 4 * kModel / ranks);
    CHECK(once < 8 * (4 * kModel / ranks + test::kBlockElements));
  }
}

TEST_CASE("the bytes of a step match the formula of each stage, with one batch and several") {
  for (const int ranks : {2, 3, 4}) {
    for (const int micro_batches : {1, 3}) {
      // All P parameters take 8 P bytes, and the part of one of N ranks takes 8 P/N bytes.
      const std::int64_t all = 8 * kModel;
      const std::int64_t part = all / ranks;
      const std::int64_t expected[] = {all, all + part, micro_batches * all + part,
                                       micro_batches * (all + 2 * part)};
      for (const int number : {0, 1, 2, 3}) {
        INFO("stage " << number << ", " << ranks << " ranks, " << micro_batches << " batches");
        CHECK(blocks_of(stage(number), ranks, micro_batches).step_bytes == expected[number]);
      }
    }
  }
}

TEST_CASE("an optimizer in host memory trains the same parameters in stages 1 and 2") {
  Training training;
  for (const int number : {1, 2}) {
    training.options.zero_stage = number;
    training.options.offload_optimizer = false;
    const auto expected = train_three(training);
    training.options.offload_optimizer = true;
    INFO("stage " << number);
    CHECK(train_three(training) == expected);
  }
}

TEST_CASE("an optimizer in host memory keeps its state, gradients and copies there") {
  auto options = stage(3);
  options.offload_optimizer = true;
  const auto seen = blocks_of(options, 2);
  // The optimizer updates a tensor in host memory. The blocks are gathered from another tensor, the
  // partition.
  CHECK(seen.optimizer_bytes == 8 * kModel / 2);
  CHECK(seen.parameter_bytes == 8 * kModel / 2);
  CHECK(seen.gradient_bytes == 8 * kModel / 2);
  CHECK(seen.step_bytes == 8 * (kModel + 2 * kModel / 2));
}
