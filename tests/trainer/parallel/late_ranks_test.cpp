// SPDX-License-Identifier: Apache-2.0
// Tests of ranks that are delayed at random, and of ranks that fail. Delays do not change what a
// style learns, and the records show where the time went. A failed rank ends the other ranks.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "contract/run_spec/process_count.hpp"
#include "tests/trainer/parallel/small_run.hpp"
#include "tests/trainer/parallel/style_specs.hpp"
#include "tests/trainer/watchdog.hpp"

using namespace dlscale;
using contract::StepPart;
using test::SmallRun;
using test::style_spec;
using test::title_of;

namespace {

using namespace std::chrono_literals;

constexpr int kInterleavings = 100;  // steps per run; each style runs twice

double seconds_of(const test::SmallResult& result, int rank, StepPart part) {
  return result.times.at(rank).parts.at(static_cast<std::size_t>(part));
}

/// Returns a function that delays one call in eight by up to 0.3 ms.
std::function<void()> lateness(unsigned seed) {
  return [calls = std::make_shared<std::atomic<unsigned>>(seed)] {
    std::mt19937 random(++*calls);
    if (random() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
  };
}

test::SmallResult run_late(const contract::RunSpec& spec, unsigned seed, std::atomic<int>& steps) {
  const auto be_late = lateness(seed);
  SmallRun run{.spec = spec, .steps = kInterleavings};
  run.disturb = [&](int, int, trainer::Batch&) {
    ++steps;
    be_late();
  };
  run.before_call = [&](int, std::string_view) { be_late(); };
  return test::run(run);
}

/// Returns the styles whose ranks send messages to each other or gather parts. interleaving_test
/// covers the other styles.
std::vector<contract::RunSpec> styles_to_be_late() {
  std::vector<contract::RunSpec> specs{
      style_spec("synchronous", 3), style_spec("vanilla_data_parallel", 3),
      style_spec("layerwise", 3), style_spec("deepspeed", 3, 3), style_spec("deepspeed", 3, 3)};
  specs.back().framework_options.persistence_threshold_elements = 100;
  specs.back().framework_options.prefetch_elements = 500;
  specs.back().framework_options.overlap_comm = "off";
  for (const auto& [framework, schedule] :
       {std::pair{"pipeline", "1f1b"}, {"pipeline", "gpipe"}, {"hybrid", "1f1b"}}) {
    specs.push_back(style_spec(framework, framework == std::string("hybrid") ? 4 : 3));
    specs.back().framework_options.pipeline_schedule = schedule;
    specs.back().framework_options.micro_batches = 4;
  }
  return specs;
}

}  // namespace

TEST_CASE("no style deadlocks or trains differently in 200 random interleavings") {
  for (const auto& spec : styles_to_be_late()) {
    INFO(title_of(spec));
    std::atomic<int> steps{0};
    const auto twice = [&] {
      const auto one = run_late(spec, 0, steps);
      return test::largest_difference(one, run_late(spec, 1'000'000, steps)) == 0;
    };
    CHECK(test::watched(twice, steps, title_of(spec)));
    CHECK(steps == 2 * spec.gpus * kInterleavings);
  }
}

TEST_CASE("a rank that fails in a step ends the other ranks in every style") {
  for (const auto& spec : test::style_specs(4)) {
    if (contract::process_count(spec) == 1) continue;
    INFO(title_of(spec));
    for (const int failing : {0, 3}) {
      SmallRun run{.spec = spec};
      run.disturb = [failing](int rank, int step, trainer::Batch&) {
        if (rank == failing && step == 2) throw std::logic_error("this rank fails");
      };
      // A rank that waits in a communicator of only some ranks may report the error before the
      // failed rank has left its step.
      CHECK_THROWS_WITH(test::run(run), Catch::Equals("this rank fails") ||
                                            Catch::EndsWith(" has left while others wait for it"));
    }
  }
}

TEST_CASE("exposed communication is part of the step times in every style") {
  for (const auto& spec : test::style_specs(2)) {
    if (contract::process_count(spec) == 1) continue;
    INFO(title_of(spec));
    SmallRun run{.spec = spec};
    run.before_call = [](int, std::string_view) { std::this_thread::sleep_for(20ms); };
    const auto found = test::run(run);
    for (int rank = 0; rank < 2; ++rank) {
      // The last call of each of the four steps overlaps with almost no computation. The check
      // requires only the time of one of these calls, so that it also passes on a busy machine.
      CHECK(seconds_of(found, rank, StepPart::exposed_comm) +
                seconds_of(found, rank, StepPart::bubble) >
            0.02);
      for (const StepPart part : {StepPart::forward, StepPart::backward, StepPart::optimizer}) {
        CHECK(seconds_of(found, rank, part) > 0);
      }
    }
  }
}

TEST_CASE("a stage that waits for a late stage records a bubble") {
  for (const char* framework : {"layerwise", "pipeline", "hybrid"}) {
    SmallRun run{.spec = style_spec(framework, 2)};
    run.disturb = [](int rank, int, trainer::Batch&) {
      if (rank == 0) std::this_thread::sleep_for(50ms);
    };
    INFO(framework);
    const auto found = test::run(run);
    CHECK(seconds_of(found, 1, StepPart::bubble) >= 0.05);  // one of four delays of 0.05 s
    CHECK(seconds_of(found, 0, StepPart::bubble) < found.times.at(0).wall_s - 4 * 0.05);
  }
}

TEST_CASE("waiting for a late stage is a bubble on both sides of it, not communication") {
  for (const char* schedule : {"1f1b", "gpipe"}) {
    for (const int late : {0, 1, 2}) {
      SmallRun run{.spec = style_spec("pipeline", 3)};
      run.spec.framework_options.pipeline_schedule = schedule;
      run.spec.framework_options.micro_batches = 4;
      run.disturb = [late](int rank, int, trainer::Batch&) {
        if (rank == late) std::this_thread::sleep_for(50ms);
      };
      const auto found = test::run(run);
      for (int rank = 0; rank < 3; ++rank) {
        if (rank == late) continue;
        INFO(schedule << ", rank " << rank << " beside " << late);
        const double bubble_s = seconds_of(found, rank, StepPart::bubble);
        CHECK(bubble_s >= 0.1);  // two of four delays of 0.05 s
        CHECK(bubble_s > seconds_of(found, rank, StepPart::exposed_comm));
      }
    }
  }
}
