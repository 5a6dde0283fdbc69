// SPDX-License-Identifier: Apache-2.0
// Tests of what ddp's compressions send and lose. PowerSGD loses nothing permanently.
#include "tests/trainer/sync/compression_check.hpp"

#include <catch2/catch.hpp>
#include <cmath>

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

constexpr std::int64_t kWidth = 64;

const SyncEntry& ddp() {
  return base::find<SyncEntry>(sync_table(), "framework", "ddp");
}

/// Returns a training of two layers of 64 x 64 with bias. ddp compresses the gradients of the
/// layers from step 1 on.
Training two_layers(int rank) {
  Training training;
  training.widths = {kWidth, kWidth, kWidth};
  training.steps = 3;
  training.options.compression = "powersgd";
  training.options.powersgd_rank = rank;
  training.options.powersgd_start_step = 1;
  return training;
}

/// Returns the largest difference between three ranks and one rank with all batches.
double difference_from_exact(const Training& training) {
  const auto exact = test::train_alone(training, 3);
  std::vector<std::vector<double>> found(3);
  run_as_threads(3, [&](Communicator& rank) {
    found[static_cast<std::size_t>(rank.rank())] = test::train_replica(training, ddp(), rank);
  });
  CHECK(found[1] == found[0]);
  CHECK(found[2] == found[0]);
  double worst = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    worst = std::max(worst, std::abs(found[0][i] - exact[i]));
  }
  return worst;
}

}  // namespace

TEST_CASE(
    "PowerSGD sends biases unchanged and r (n + m) elements of a matrix from its start step on") {
  for (const int rank : {1, 4}) {
    const auto alone = make_single();
    Recorder recorder(*alone);
    std::vector<Bytes> steps;
    Training training = two_layers(rank);
    training.after_step = [&](int, double) { steps.push_back(recorder.take()); };
    test::train_replica(training, ddp(), recorder);
    const std::int64_t thin = 2 * kWidth * rank * 8;  // bytes that both layers send per call
    INFO("rank " << rank);
    CHECK(steps[0] == Bytes{2 * (kWidth * kWidth + kWidth) * 8});
    CHECK(steps[1] == Bytes{2 * kWidth * 8, thin, thin});
    CHECK(steps[2] == steps[1]);
  }
}

TEST_CASE("a matrix that would not become half as large is sent uncompressed") {
  // ddp compresses an n x m matrix to rank r if 2 r (n + m) < n m, here 256 r < 4096.
  for (const auto& [rank, calls] : {std::pair{15, 3}, std::pair{16, 1}}) {
    const auto alone = make_single();
    Recorder recorder(*alone);
    Training training = two_layers(rank);
    std::size_t last = 0;
    training.after_step = [&](int, double) { last = recorder.take().size(); };
    test::train_replica(training, ddp(), recorder);
    INFO("rank " << rank);
    CHECK(last == static_cast<std::size_t>(calls));
  }
}

TEST_CASE("means are exact if PowerSGD's rank is at least the rank of the gradients") {
  // Three ranks with 4 samples each make gradients of rank 12. With rank 40, the gradients are not
  // compressed, because they would not become half as large.
  CHECK(difference_from_exact(two_layers(12)) < 1e-6);
  CHECK(difference_from_exact(two_layers(40)) < 1e-10);
}

TEST_CASE("a smaller rank of PowerSGD trains other parameters, the same on all ranks") {
  const double difference = difference_from_exact(two_layers(2));
  CHECK(difference > 1e-6);
  CHECK(difference < 0.1);
}

TEST_CASE("PowerSGD adds the error of a mean to later steps, so that no gradient is lost") {
  run_as_threads(3, [](Communicator& rank) {
    const auto seen = test::look_at_powersgd(20, 2, 16, rank);
    if (seen.states != 3) throw std::logic_error("state of another kind");
    if (seen.lost < 1e-3) throw std::logic_error("nothing was lost: nothing is tested");
    if (seen.unaccounted > 1e-9) throw std::logic_error("something was lost for good");
  });
}

TEST_CASE("means of low-rank gradients are exact on every rank") {
  run_as_threads(2, [](Communicator& rank) {
    const auto seen = test::look_at_powersgd(3, 2, 1, rank);
    if (seen.from_mean > 1e-9) throw std::logic_error("a mean of rank 2 was not exact");
  });
}

TEST_CASE("the error of a 16-bit mean is limited to its roundings") {
  // The values are rounded four times: before the division, after the division, and after each of
  // two sums.
  for (const auto& [compression, unit] : {std::pair{"fp16", 0x1p-11}, std::pair{"bf16", 0x1p-8}}) {
    run_as_threads(3, [&, compression = compression, unit = unit](Communicator& rank) {
      const double error = test::error_in_16_bits(compression, rank);
      if (error > 4.1 * unit) throw std::logic_error("rounded more than four times");
      if (error < 0.5 * unit) throw std::logic_error("not rounded");
    });
  }
}
