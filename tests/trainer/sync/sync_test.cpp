// SPDX-License-Identifier: Apache-2.0
// Tests that several ranks of every sync style train like one rank on the concatenated batches.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <string>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "contract/run_spec/vocabulary.hpp"
#include "tests/trainer/sync/recorder.hpp"
#include "tests/trainer/sync/replica.hpp"
#include "trainer/comm/mpi.hpp"
#include "trainer/comm/single.hpp"
#include "trainer/comm/thread.hpp"

using namespace dlscale;
using namespace dlscale::trainer;
using test::Training;

namespace {

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// Returns the final parameters of each of 3 ranks that are threads.
std::vector<std::vector<double>> train_in_threads(const Training& training,
                                                  const SyncEntry& entry) {
  std::vector<std::vector<double>> results(3);
  run_as_threads(3, [&](Communicator& rank) {
    results[static_cast<std::size_t>(rank.rank())] = test::train_replica(training, entry, rank);
  });
  return results;
}

void check_equal_to_alone(const Training& training, const SyncEntry& entry) {
  const auto results = train_in_threads(training, entry);
  CHECK(largest_difference(results[0], test::train_alone(training, 3)) < 1e-10);
  CHECK(results[1] == results[0]);
  CHECK(results[2] == results[0]);
}

}  // namespace

TEST_CASE("3 ranks in threads train like one rank on the concatenated batch and stay equal") {
  for (const SyncEntry* entry : sync_table()) {
    INFO(entry->name);
    CHECK(contract::is_known("framework", entry->name));
    check_equal_to_alone(Training{}, *entry);
    Training copying;
    copying.options.gradient_as_bucket_view = false;
    check_equal_to_alone(copying, *entry);
  }
}

TEST_CASE("ZeRO stages that keep whole parameters keep equal parameters on all ranks") {
  for (const int stage : {0, 1, 2}) {
    INFO("stage " << stage);
    Training training;
    training.options.zero_stage = stage;
    check_equal_to_alone(training, base::find(sync_table(), "framework", "deepspeed"));
  }
}

TEST_CASE("an unused parameter does not change if unused parameters are allowed") {
  Training training;
  training.unused_parameter = true;
  training.options.find_unused_parameters = true;
  for (const SyncEntry* entry : sync_table()) {
    INFO(entry->name);
    check_equal_to_alone(training, *entry);
  }
}

TEST_CASE("an unused parameter decays if ranks send zeros for its gradient, but not with ddp") {
  Training training;
  training.unused_parameter = true;
  training.options.find_unused_parameters = true;
  const std::vector<double> fresh = test::train_alone(training, 1);
  training.weight_decay = 0.1;
  for (const SyncEntry* entry : sync_table()) {
    INFO(entry->name);
    const std::vector<double> trained = train_in_threads(training, *entry)[0];
    const bool is_as_it_was = std::equal(trained.end() - 3, trained.end(), fresh.end() - 3);
    CHECK(is_as_it_was == (std::string(entry->name) == "ddp"));
  }
}

TEST_CASE("a single rank trains like a run without a sync") {
  for (const SyncEntry* entry : sync_table()) {
    INFO(entry->name);
    const auto alone = make_single();
    CHECK(test::train_replica(Training{}, *entry, *alone) == test::train_alone(Training{}, 1));
  }
}

TEST_CASE("a rank that fails during training ends the others with a communication error") {
  for (const SyncEntry* entry : sync_table()) {
    std::atomic<int> told{0};
    const auto body = [&](Communicator& rank) {
      Training training;
      training.before_step = [&](int step) {
        if (step == 2 && rank.rank() == 1) throw std::logic_error("rank 1 fails");
      };
      try {
        test::train_replica(training, *entry, rank);
      } catch (const base::RunError& error) {
        told += error.exit_code() == contract::kExitCommunication ? 1 : 0;
        throw;
      }
    };
    INFO(entry->name);
    CHECK_THROWS_WITH(run_as_threads(3, body), "rank 1 fails");
    CHECK(told == 2);
  }
}

TEST_CASE("communication that is not hidden is reported as exposed") {
  for (const SyncEntry* entry : sync_table()) {
    INFO(entry->name);
    const auto alone = make_single();
    test::Recorder recorder(*alone);
    recorder.all_reduce_takes = std::chrono::milliseconds(10);
    Training training;
    double all_calls = 0;  // stays 0 for styles that exchange nothing on one rank
    double most_s = 0;     // maximum per call, because a preempted thread waits less
    training.after_step = [&](int step, double exposed_s) {
      INFO("step " << step);
      const auto calls = static_cast<double>(recorder.take().size());
      all_calls += calls;
      if (calls > 0) {
        CHECK(exposed_s > 0);
        most_s = std::max(most_s, exposed_s / calls);
      }
      CHECK(exposed_s < 0.010 * calls + 1);
    };
    test::train_replica(training, *entry, recorder);
    const std::string style = entry->name;
    CHECK((all_calls == 0) == (style == "horovod" || style == "synchronous"));
    CHECK((all_calls == 0 || most_s >= 0.009));
  }
}

TEST_CASE("3 MPI ranks train like one rank on the concatenated batch and stay equal", "[.mpi]") {
  const MpiSession session;
  REQUIRE(session.size() == 3);
  const auto communicator = make_mpi(session);
  for (const SyncEntry* entry : sync_table()) {
    INFO(entry->name);
    auto mine = test::train_replica(Training{}, *entry, *communicator);
    CHECK(largest_difference(mine, test::train_alone(Training{}, 3)) < 1e-10);
    const auto count = static_cast<std::int64_t>(mine.size());
    std::vector<double> all(3 * mine.size());
    communicator->all_gather({mine.data(), count, ElementType::float64},
                             {all.data(), 3 * count, ElementType::float64});
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i] != mine[i % mine.size()]) FAIL("rank " << i / mine.size() << " differs");
    }
  }
}
