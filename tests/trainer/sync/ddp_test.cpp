// SPDX-License-Identifier: Apache-2.0
// Tests of PyTorch's DistributedDataParallel: its buckets, bytes and overlap.
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "tests/trainer/sync/arrival_check.hpp"
#include "tests/trainer/sync/mean_check.hpp"
#include "tests/trainer/sync/recorder.hpp"
#include "tests/trainer/sync/replica.hpp"
#include "trainer/comm/single.hpp"
#include "trainer/comm/thread.hpp"

using namespace dlscale;
using namespace dlscale::trainer;
using test::Recorder;
using test::Training;

namespace {

using Bytes = std::vector<std::int64_t>;

constexpr std::int64_t kLayerBytes = 64 * 64 * 8;

const SyncEntry& ddp_entry() {
  return base::find<SyncEntry>(sync_table(), "framework", "ddp");
}

/// Returns a training of six equal layers without bias, so that gradients are ready in only one
/// order. The first bucket holds two layers, and the next bucket holds three layers.
Training six_layers() {
  Training training;
  training.widths = {64, 64, 64, 64, 64, 64, 64};
  training.bias = false;
  training.steps = 3;
  training.options.first_bucket_mb = 1.5 * kLayerBytes / (1024 * 1024);
  training.options.bucket_cap_mb = 2.5 * kLayerBytes / (1024 * 1024);
  return training;
}

/// Returns the all-reduces of each step on a single rank.
std::vector<Bytes> all_reduces_of(Training training) {
  const auto alone = make_single();
  Recorder recorder(*alone);
  std::vector<Bytes> steps;
  training.after_step = [&](int, double) { steps.push_back(recorder.take()); };
  test::train_replica(training, ddp_entry(), recorder);
  return steps;
}

}  // namespace

TEST_CASE("step 0 is one all-reduce, and later a bucket closes when it reaches its cap") {
  CHECK(all_reduces_of(six_layers()) ==
        std::vector<Bytes>{{6 * kLayerBytes},
                           {2 * kLayerBytes, 3 * kLayerBytes, kLayerBytes},
                           {2 * kLayerBytes, 3 * kLayerBytes, kLayerBytes}});
}

TEST_CASE("with PyTorch's default caps a small model is one bucket in every step") {
  Training training = six_layers();
  training.options = {};
  CHECK(all_reduces_of(training) ==
        std::vector<Bytes>{{6 * kLayerBytes}, {6 * kLayerBytes}, {6 * kLayerBytes}});
}

TEST_CASE("PyTorch's default caps are 1 MiB for the first bucket and 25 MiB for the others") {
  Training training = six_layers();
  training.widths = {1100, 1100, 1100, 1100, 1100, 1100, 1100};
  training.options = {};
  constexpr std::int64_t kBytes = 1100 * 1100 * 8;  // 9.2 MiB per layer
  CHECK(all_reduces_of(training)[1] == Bytes{kBytes, 3 * kBytes, 2 * kBytes});
}

TEST_CASE("gradients are views of their buckets, or have their own memory if requested") {
  for (const bool views : {true, false}) {
    Training training = six_layers();
    training.options.gradient_as_bucket_view = views;
    std::size_t memories = 0;
    training.after_backward = [&](std::size_t found) { memories = found; };
    all_reduces_of(training);
    INFO("views " << views);
    CHECK(memories == (views ? 3 : 6));  // three buckets, six layers
  }
}

TEST_CASE("with find_unused_parameters the caps apply from the start and buckets never change") {
  Training training = six_layers();
  training.options.find_unused_parameters = true;
  const auto steps = all_reduces_of(training);
  REQUIRE(steps.size() == 3);
  // Parameters are assigned to buckets in model order and reduced in reverse order. The four-byte
  // counts report which parameters were used.
  CHECK(steps[0] == Bytes{kLayerBytes, 3 * kLayerBytes, 2 * kLayerBytes, 6 * 4});
  CHECK(steps[1] == steps[0]);
}

TEST_CASE("a parameter without gradient is an error that names the parameter and the remedy") {
  Training training;
  training.unused_parameter = true;
  const auto alone = make_single();
  try {
    test::train_replica(training, ddp_entry(), *alone);
    FAIL("no error");
  } catch (const base::RunError& error) {
    CHECK(std::string(error.what()) ==
          "ddp: the loss does not depend on every parameter (unused6); set "
          "framework_options.find_unused_parameters");
    CHECK(error.exit_code() == contract::kExitBadRunDescription);
  }
}

TEST_CASE("ranks whose gradients come in another order reduce them in rank 0's order") {
  run_as_threads(3, [](Communicator& rank) {
    const std::vector<Bytes> expected{{15 * 8}, {7 * 8, 5 * 8, 3 * 8}, {7 * 8, 5 * 8, 3 * 8}};
    if (test::all_reduces_of_crossed_ranks(rank) != expected) throw std::logic_error("other order");
  });
  SUCCEED();
}

TEST_CASE("two ranks of ddp train to the same bits as two ranks of synchronous") {
  // A division by 2 gives the same bits before the sum as after the sum.
  const auto trained = [](const char* framework) {
    std::vector<double> parameters;
    run_as_threads(2, [&](Communicator& rank) {
      auto mine = test::train_replica(
          Training{}, base::find<SyncEntry>(sync_table(), "framework", framework), rank);
      if (rank.rank() == 0) parameters = std::move(mine);
    });
    return parameters;
  };
  CHECK(trained("ddp") == trained("synchronous"));
}

TEST_CASE("ddp divides before it sums, and horovod sums before it divides") {
  const auto of_two = [](const char* framework) {
    double mean = 0;
    run_as_threads(2, [&](Communicator& rank) {
      const double mine = test::mean_gradient(framework, 1.5e308, rank);
      if (rank.rank() == 0) mean = mine;
    });
    return mean;
  };
  CHECK(of_two("ddp") == 1.5e308);
  CHECK(std::isinf(of_two("horovod")));  // twice the gradient exceeds the range of the type
}

TEST_CASE("the first buckets are reduced during the backward pass") {
  run_as_threads(2, [](Communicator& rank) {
    Recorder recorder(rank);
    Training training = six_layers();
    training.before_step = [&](int) { recorder.take(); };
    training.late_in_backward = [&](int step) {
      // The backward pass waits here until a reduction has begun. Without overlap, no reduction
      // begins during the backward pass.
      for (int i = 0; step > 0 && !recorder.has_begun(); ++i) {
        if (i == 2000) throw std::runtime_error("no overlap");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    };
    test::train_replica(training, ddp_entry(), recorder);
  });
  SUCCEED();
}

TEST_CASE("communication that the backward pass hides is not exposed") {
  const auto alone = make_single();
  Recorder recorder(*alone);
  recorder.all_reduce_takes = std::chrono::milliseconds(50);
  Training training = six_layers();
  training.steps = 2;
  training.late_in_backward = [](int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  };
  double exposed_s = 0;
  double all_s = 0;
  training.after_step = [&](int, double exposed) {
    exposed_s = exposed;
    all_s = recorder.take_seconds();
  };
  test::train_replica(training, ddp_entry(), recorder);
  // The reductions of the three buckets take at least 50 ms each. The reduction of the last bucket
  // is exposed. The reduction of the first bucket is complete before the last bucket is submitted.
  CHECK(exposed_s >= 0.050);
  CHECK(all_s >= 0.150);
  CHECK(exposed_s < all_s);
}

TEST_CASE("ranks with different models report it before training") {
  const auto body = [](Communicator& rank) {
    Training training;
    training.bias = false;
    training.widths = {12, 16};
    if (rank.rank() == 1) training.widths = {16, 12};
    test::train_replica(training, ddp_entry(), rank);
  };
  CHECK_THROWS_WITH(run_as_threads(2, body),
                    Catch::Matchers::StartsWith("ddp: ranks have different models: ") &&
                        !Catch::Matchers::Contains("\n"));
}

TEST_CASE("a static graph finds the used parameters in step 0 and rebuilds its buckets later") {
  Training training = six_layers();
  training.options.static_graph = true;
  // In step 0 the first all-reduce has a four-byte integer for each parameter, by which the ranks
  // learn which parameters were used. The gradients are sent after the backward pass.
  CHECK(all_reduces_of(training) ==
        std::vector<Bytes>{{6 * 4, 6 * kLayerBytes},
                           {6 * kLayerBytes},
                           {2 * kLayerBytes, 3 * kLayerBytes, kLayerBytes}});
  Training small;
  const auto exact = test::train_alone(small, 3);
  small.options.static_graph = true;
  run_as_threads(3, [&](Communicator& rank) {
    const auto found = test::train_replica(small, ddp_entry(), rank);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (std::abs(found[i] - exact[i]) > 1e-10) throw std::logic_error("learnt something else");
    }
  });
}

TEST_CASE("compressed gradients take two bytes each and are exact except for rounding") {
  for (const char* compression : {"fp16", "bf16"}) {
    Training training = six_layers();
    training.options.compression = compression;
    INFO(compression);
    CHECK(all_reduces_of(training)[1] ==
          Bytes{2 * kLayerBytes / 4, 3 * kLayerBytes / 4, kLayerBytes / 4});
    Training small;
    const auto exact = test::train_alone(small, 3);
    small.options.compression = compression;
    run_as_threads(3, [&](Communicator& rank) {
      const auto found = test::train_replica(small, ddp_entry(), rank);
      double worst = 0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        worst = std::max(worst, std::abs(found[i] - exact[i]));
      }
      if (worst == 0 || worst > 2e-2) throw std::logic_error("compressed too little or too much");
    });
  }
}
