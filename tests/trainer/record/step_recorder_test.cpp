// SPDX-License-Identifier: Apache-2.0
#include "trainer/record/step_recorder.hpp"

#include <catch2/catch.hpp>

#include "base/file.hpp"
#include "contract/records/result_record.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/require.hpp"
#include "tests/support/temp_dir.hpp"
#include "trainer/comm/single.hpp"
#include "trainer/comm/thread.hpp"

using namespace dlscale;
using contract::StepPart;
using trainer::RankWindow;

namespace {

trainer::BlockTimes block(double wall_s, double forward_s) {
  trainer::BlockTimes times{.wall_s = wall_s};
  times.parts[static_cast<int>(StepPart::forward)] = forward_s;
  times.parts[static_cast<int>(StepPart::other)] = wall_s - forward_s;
  return times;
}

contract::ResultsFile results_of(const contract::LaunchDir& launch) {
  return contract::parse_results(base::read_file(launch.results()));
}

}  // namespace

TEST_CASE("a spread has mean, interpolated median and 90th percentile, and maximum") {
  CHECK(trainer::spread({4}) == contract::Spread{4, 4, 4, 4});
  const auto spread = trainer::spread({4, 1, 3, 2});
  CHECK(spread.mean == Approx(2.5));
  CHECK(spread.p50 == Approx(2.5));
  CHECK(spread.p90 == Approx(3.7));
  CHECK(spread.max == 4);
}

TEST_CASE("every rank receives the measurements of every rank") {
  trainer::run_as_threads(3, [](trainer::Communicator& communicator) {
    base::SystemClock clock;
    trainer::CollectiveQueue queue(communicator, clock);
    const auto all = trainer::gather(
        {.times = block(queue.rank() + 1, 0.5), .peak_memory_bytes = 100.0 * queue.rank()}, queue);
    if (all.size() != 3) throw base::RunError("wrong count");
    for (int rank = 0; rank < 3; ++rank) {
      if (all[rank].times.wall_s != rank + 1) throw base::RunError("wrong wall_s");
      if (all[rank].peak_memory_bytes != 100.0 * rank) throw base::RunError("wrong peak");
    }
  });
}

TEST_CASE("a window takes the slowest rank's wall time and the mean loss per step") {
  const std::vector<RankWindow> ranks{
      {.times = block(2, 1), .loss_sum = 10, .comm_bytes = 100, .peak_memory_bytes = 7},
      {.times = block(4, 3), .loss_sum = 30, .comm_bytes = 200, .peak_memory_bytes = 9}};
  const auto window = trainer::make_window(
      {.epoch = 2, .first_step = 40, .steps = 10, .global_batch = 64, .lr = 0.5}, ranks);
  CHECK(window.wall_s == 4);
  CHECK(window.samples == 640);
  CHECK(window.train_loss == Approx(2));
  CHECK(window.bytes_sent == Approx(150));
  CHECK(window.peak_memory_bytes == 9);
  CHECK(window.parts[static_cast<int>(StepPart::forward)].mean == Approx(2));
  CHECK(window.parts[static_cast<int>(StepPart::forward)].max == 3);
}

TEST_CASE("an epoch sums up its windows, and only a launch's first window is marked as warm-up") {
  test::TempDir folder;
  const contract::LaunchDir launch(folder.path());
  test::FakeClock clock;
  const auto single = trainer::make_single();
  trainer::CollectiveQueue queue(*single, clock);
  trainer::ResultWriter writer;
  writer.open(launch);
  trainer::StepRecorder recorder(queue, writer, clock);
  recorder.start_epoch();
  recorder.finish_window({0, 0, 10, 64, 0.1}, {block(2, 1), 20});
  const auto end = recorder.finish_window({0, 10, 5, 64, 0.2}, {block(1, 1), 5});
  writer.write(recorder.epoch_record(0));
  CHECK(end.train_loss == Approx(1));
  CHECK(end.wall_s == Approx(1));
  const auto file = results_of(launch);
  REQUIRE(file.records.size() == 3);
  CHECK(std::get<contract::StepWindow>(file.records[0]).warmup);
  CHECK(!std::get<contract::StepWindow>(file.records[1]).warmup);
  const auto& epoch = std::get<contract::EpochRecord>(file.records[2]);
  CHECK(epoch.steps == 15);
  CHECK(epoch.samples == 960);
  CHECK(epoch.wall_s == Approx(3));
  CHECK(epoch.train_loss == Approx(25.0 / 15));
  CHECK(epoch.lr == 0.2);
}

TEST_CASE("the work times of ranks exclude waiting, and start-up if there are other windows") {
  trainer::run_as_threads(3, [](trainer::Communicator& communicator) {
    const auto require = [](bool holds) { test::require(holds, "the rank times are right"); };
    test::FakeClock clock;
    trainer::CollectiveQueue queue(communicator, clock);
    trainer::ResultWriter writer;
    trainer::StepRecorder recorder(queue, writer, clock);
    trainer::BlockTimes times = block(4, 1.0 + queue.rank());
    times.parts[static_cast<int>(StepPart::exposed_comm)] = 0.25;
    times.parts[static_cast<int>(StepPart::bubble)] = 0.125;
    recorder.start_epoch();
    require(!recorder.rank_times(0, 0));
    recorder.finish_window({0, 0, 10, 64, 0.1}, {times, 20});
    require(recorder.rank_times(0, 0)->steps == 10);
    require(recorder.rank_times(0, 0)->work_s == std::vector<double>(3, 3.625));
    times.wall_s = 5.000012345 + queue.rank();
    recorder.finish_window({0, 10, 5, 64, 0.1}, {times, 5});
    recorder.finish_window({0, 15, 5, 64, 0.1}, {times, 5, 1e10 + queue.rank()});
    const auto found = recorder.rank_times(7, 3);
    require(found->extra == R"({"peak_memory_bytes":[10000000000,10000000001,10000000002]})");
    require(found->epoch == 7 && found->stages == 3 && found->steps == 10);
    require(found->work_s == std::vector<double>{9.25, 11.25, 13.25});  // 9.25 is 9.250024, rounded
    recorder.start_epoch();
    require(!recorder.rank_times(8, 0));
  });
}

TEST_CASE("an epoch adds up the correct samples of all ranks, also those of earlier launches") {
  trainer::run_as_threads(3, [](trainer::Communicator& communicator) {
    const auto require = [](bool holds) { test::require(holds, "the counts are right"); };
    test::FakeClock clock;
    trainer::CollectiveQueue queue(communicator, clock);
    trainer::ResultWriter writer;
    trainer::StepRecorder recorder(queue, writer, clock);
    trainer::RankMeasures mine{block(2, 1), 20};
    mine.correct = 5 + queue.rank();
    recorder.start_epoch();
    recorder.finish_window({0, 0, 10, 64, 0.1}, mine);
    recorder.finish_window({0, 10, 10, 64, 0.1}, mine);
    require(recorder.epoch_record(0).correct == 2 * (5 + 6 + 7));
    require(recorder.sums().correct == 36);
    recorder.start_epoch({.steps = 4, .correct = 100});
    recorder.finish_window({0, 4, 10, 64, 0.1}, mine);
    require(recorder.epoch_record(0).correct == 118);
    recorder.start_epoch({.steps = 4});  // the earlier launch did not count correct samples
    recorder.finish_window({0, 4, 10, 64, 0.1}, mine);
    require(!recorder.epoch_record(0).correct);
    mine.correct.reset();
    recorder.start_epoch();
    recorder.finish_window({0, 0, 10, 64, 0.1}, mine);
    require(!recorder.epoch_record(0).correct);
  });
}

TEST_CASE("ranks with equal work have results of their own, over the steps of their work times") {
  trainer::run_as_threads(2, [](trainer::Communicator& communicator) {
    const auto require = [](bool holds) { test::require(holds, "the results are right"); };
    test::FakeClock clock;
    trainer::CollectiveQueue queue(communicator, clock);
    trainer::ResultWriter writer;
    trainer::StepRecorder recorder(queue, writer, clock);
    const double rank = queue.rank();
    trainer::RankMeasures mine{block(2, 1), 1000};
    mine.correct = 1000;
    recorder.start_epoch();
    recorder.finish_window({0, 0, 10, 64, 0.1}, mine);  // the start-up window does not count
    mine.loss_sum = 20 + rank;
    mine.correct = 160 * (1 + queue.rank());
    recorder.finish_window({0, 10, 10, 64, 0.1}, mine);
    recorder.finish_window({0, 20, 10, 64, 0.1}, mine);
    const auto found = recorder.rank_times(0, 0);
    require(found->train_loss == std::vector<double>{2, 2.1});
    require(found->train_accuracy == std::vector<double>{0.5, 1});
    require(recorder.rank_times(0, 2)->train_loss.empty());
    require(recorder.rank_times(0, 2)->train_accuracy.empty());
    mine.correct.reset();
    recorder.start_epoch();
    recorder.finish_window({0, 0, 10, 64, 0.1}, mine);
    require(recorder.rank_times(0, 0)->train_loss == std::vector<double>{2, 2.1});
    require(recorder.rank_times(0, 0)->train_accuracy.empty());
  });
}

TEST_CASE("a single rank has no work times of ranks") {
  test::FakeClock clock;
  const auto single = trainer::make_single();
  trainer::CollectiveQueue queue(*single, clock);
  trainer::ResultWriter writer;
  trainer::StepRecorder recorder(queue, writer, clock);
  recorder.start_epoch();
  recorder.finish_window({0, 0, 10, 64, 0.1}, {block(2, 1), 20});
  CHECK_FALSE(recorder.rank_times(0, 0).has_value());
}

TEST_CASE("the counters of a style are in the record of the window, under their own keys") {
  test::TempDir folder;
  const contract::LaunchDir launch(folder.path());
  test::FakeClock clock;
  const auto single = trainer::make_single();
  trainer::CollectiveQueue queue(*single, clock);
  trainer::ResultWriter writer;
  writer.open(launch);
  trainer::StepRecorder recorder(queue, writer, clock);
  recorder.start_epoch();
  trainer::RankMeasures mine{block(2, 1), 20};
  mine.counts = {{"skipped_steps", 1}, {"horovod_cycles", 7}, {"horovod_bytes", 40}};
  recorder.finish_window({0, 0, 10, 64, 0.1}, mine);
  const auto file = results_of(launch);
  REQUIRE(file.records.size() == 1);
  const std::string& extra = std::get<contract::StepWindow>(file.records[0]).extra;
  for (const char* text : {"\"skipped_steps\":1", "\"horovod_cycles\":7", "\"horovod_bytes\":40"}) {
    INFO(text);
    CHECK(extra.find(text) != std::string::npos);
  }
}

TEST_CASE("a writer ignores records from before it was opened") {
  test::TempDir folder;
  const contract::LaunchDir launch(folder.path());
  trainer::ResultWriter writer;
  writer.write(contract::RunStart{});
  writer.say("nothing");
  writer.stop({});
  writer.open(launch);
  writer.stop({});
  const auto file = results_of(launch);
  REQUIRE(file.records.size() == 1);
  CHECK(std::holds_alternative<contract::RunStop>(file.records[0]));
  CHECK(base::read_file(launch.out()).find("nothing") == std::string::npos);
}

TEST_CASE("run_stop counts the samples of the windows and is the last record") {
  test::TempDir folder;
  const contract::LaunchDir launch(folder.path());
  trainer::ResultWriter writer;
  writer.open(launch);
  writer.write(contract::StepWindow{.samples = 30});
  writer.write(contract::StepWindow{.samples = 12});
  writer.stop({.outcome = contract::RunOutcome::Cancelled, .reason = "received SIGTERM"});
  writer.write(contract::StepWindow{.samples = 1});
  writer.stop({});
  const auto file = results_of(launch);
  REQUIRE(file.records.size() == 3);
  CHECK(std::get<contract::RunStop>(file.records[2]).samples == 42);
  CHECK(base::read_file(launch.err()) == "received SIGTERM\n");
}

TEST_CASE("a launch folder that cannot be written is an error naming the file") {
  trainer::ResultWriter writer;
  CHECK_THROWS_WITH(writer.open(contract::LaunchDir("/nowhere/launch-1")),
                    Catch::Contains("/nowhere/launch-1/results.jsonl"));
}
