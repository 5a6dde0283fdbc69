// SPDX-License-Identifier: Apache-2.0
// Tests that measurements other than step times reach the run's row and the views.
#include "analysis/store/reading/frame_reader.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/metrics/scaling/accuracy.hpp"
#include "analysis/store/ingest.hpp"
#include "tests/analysis/support/written_study.hpp"

namespace dlscale::analysis {
namespace {

contract::StepWindow window_with(bool warmup, int steps, const std::string& extra) {
  contract::StepWindow window;
  window.warmup = warmup;
  window.steps = steps;
  window.samples = 64L * steps;
  window.wall_s = steps;
  window.collectives = 3.0 * steps;
  window.extra = extra;
  return window;
}

/// Plans a run with these records between its start and its end, and collects it.
struct OneRun {
  test::WrittenStudy study;
  std::string run_id = study.plan_run("ddp", 2);

  void add_launch(const contract::RunStart& start,
                  const std::vector<contract::ResultRecord>& records) {
    const contract::LaunchDir launch = study.folder.run(run_id).make_next_launch();
    std::string text = contract::to_json_line(start) + "\n";
    for (const contract::ResultRecord& record : records) {
      text += contract::to_json_line(record) + "\n";
    }
    base::write_file_atomically(launch.results(),
                                text + contract::to_json_line(contract::RunStop{}) + "\n");
  }
  RunRow collected(const std::vector<contract::ResultRecord>& records) {
    add_launch({.run_id = run_id, .steps_per_epoch = 10}, records);
    return collected();
  }
  RunRow collected() {
    ingest(study.folder);
    return read_frame(study.folder).runs.at(0);
  }
  std::string query(const std::string& what) const {
    SQLite::Database database(study.folder.database().string());
    return database.execAndGet("SELECT " + what).getString();
  }
};

contract::EvalRecord evaluated(int epoch) {
  return {epoch, 0, 0.5, 1000, 900, 0.9, 0.3, {}, {0.2, 0.4}, {0.95, 0.85}, {0.5, 0.25}, ""};
}

}  // namespace

TEST_CASE("a plan for a scheduler does not hold imported runs") {
  OneRun one;
  one.collected();
  CHECK_FALSE(read_frame(one.study.folder).is_imported);
}

TEST_CASE("the training accuracy of an epoch is its correct samples divided by its samples") {
  OneRun one;
  const RunRow run = one.collected(
      {contract::EpochRecord{
           .epoch = 0, .wall_s = 1, .steps = 10, .samples = 640, .correct = 480, .lr = 0.1},
       contract::EpochRecord{.epoch = 1, .wall_s = 1, .steps = 10, .samples = 640}});
  REQUIRE(run.epochs.size() == 2);
  CHECK(run.epochs[0].train_accuracy == 0.75);
  CHECK(run.epochs[0].lr == 0.1);
  CHECK(run.epochs[0].steps == 10);
  CHECK(run.epochs[0].samples == 640);
  CHECK_FALSE(run.epochs[1].train_accuracy);
  CHECK(one.query("train_accuracy FROM epoch_view WHERE epoch = 0") == "0.75");
  CHECK(one.query("train_accuracy IS NULL FROM epoch_view WHERE epoch = 1") == "1");
}

TEST_CASE("the training accuracy of the last evaluated epoch gives the gap of accuracies") {
  OneRun one;
  const RunRow run =
      one.collected({contract::EpochRecord{.epoch = 0, .steps = 10, .samples = 640, .correct = 624},
                     evaluated(0)});
  REQUIRE(accuracy_gap(run));
  CHECK(accuracy_gap(run)->train == 0.975);
  CHECK(accuracy_gap(run)->gap == Approx(0.075));
}

TEST_CASE("a training accuracy that only an evaluation recorded belongs to its epoch") {
  OneRun one;
  contract::EvalRecord eval = evaluated(1);
  eval.metrics = {{"train_accuracy", 0.5}};
  const RunRow run = one.collected({contract::EpochRecord{.epoch = 0, .steps = 10},
                                    contract::EpochRecord{.epoch = 1, .steps = 10}, eval});
  REQUIRE(run.epochs.size() == 2);
  CHECK_FALSE(run.epochs[0].train_accuracy);
  CHECK(run.epochs[1].train_accuracy == 0.5);
}

TEST_CASE("evaluations have the time, the samples and the results of each rank") {
  OneRun one;
  contract::EvalRecord silent = evaluated(1);
  silent.rank_loss = silent.rank_accuracy = silent.rank_wall_s = {};
  const RunRow run = one.collected({evaluated(0), silent});
  REQUIRE(run.evals.size() == 2);
  CHECK(run.evals[0].wall_s == 0.5);
  CHECK(run.evals[0].samples == 1000);
  CHECK(run.evals[0].rank_loss == std::vector<double>{0.2, 0.4});
  CHECK(run.evals[0].rank_accuracy == std::vector<double>{0.95, 0.85});
  CHECK(run.evals[0].rank_wall_s == std::vector<double>{0.5, 0.25});
  CHECK(run.evals[1].rank_loss.empty());
  CHECK(one.query("count(*) FROM eval_rank_view") == "2");
  CHECK(one.query("loss || ' ' || accuracy || ' ' || wall_s FROM eval_rank_view WHERE rank = 1") ==
        "0.4 0.85 0.25");
}

TEST_CASE("ranks have the training loss and accuracy of each epoch") {
  OneRun one;
  contract::RankTimes times{.epoch = 3, .steps = 10, .work_s = {1, 2}};
  times.train_loss = {0.5, NAN};
  times.train_accuracy = {0.25, 0.75};
  const RunRow run = one.collected({times});
  REQUIRE(run.ranks.size() == 1);
  const RankEpoch& epoch = run.ranks[0].epochs.at(0);
  CHECK(epoch.epoch == 3);
  CHECK(epoch.train_loss[0] == 0.5);
  CHECK(std::isnan(epoch.train_loss[1]));
  CHECK(epoch.train_accuracy == std::vector<double>{0.25, 0.75});
  CHECK(one.query("train_accuracy FROM rank_view WHERE rank = 1") == "0.75");
  CHECK(one.query("train_loss IS NULL FROM rank_view WHERE rank = 1") == "1");
}

TEST_CASE("profiles are read with their shares") {
  OneRun one;
  const RunRow run = one.collected({contract::ProfileRecord{.epoch = 1,
                                                            .steps = 20,
                                                            .wall_s = 4,
                                                            .kernel_s = 3,
                                                            .communication = 0.25,
                                                            .io = 0.125,
                                                            .computation = 0.5,
                                                            .other = 0.125,
                                                            .cpu_occupancy = 0.4}});
  REQUIRE(run.profiles.size() == 1);
  CHECK(run.profiles[0].epoch == 1);
  CHECK(run.profiles[0].steps == 20);
  CHECK(run.profiles[0].kernel_s == 3);
  CHECK(run.profiles[0].communication == 0.25);
  CHECK(run.profiles[0].io == 0.125);
  CHECK(run.profiles[0].computation == 0.5);
  CHECK(run.profiles[0].cpu_occupancy == 0.4);
  CHECK(one.query("io FROM profile_view") == "0.125");
}

TEST_CASE("counters are sums per step without the warm-up") {
  OneRun one;
  const RunRow run = one.collected(
      {window_with(true, 10, R"({"horovod_cycles":1000})"),
       window_with(false, 10, R"({"horovod_cycles":70,"skipped_steps":1,"name":"x"})"),
       window_with(false, 30, R"({"horovod_cycles":50})")});
  CHECK(run.counters ==
        std::map<std::string, double>{{"horovod_cycles", 3}, {"skipped_steps", 1.0 / 40}});
  CHECK(run.steps.collectives == 120);
  CHECK(one.query("sum(horovod_cycles) FROM step_window_view WHERE NOT warmup") == "120");
  CHECK(one.query("count(skipped_steps) FROM step_window_view") == "1");
}

TEST_CASE("counters of a run that has only warm-up windows are those of the warm-up") {
  OneRun one;
  const RunRow run = one.collected({window_with(true, 10, R"({"horovod_cycles":20})")});
  CHECK(run.counters == std::map<std::string, double>{{"horovod_cycles", 2}});
}

TEST_CASE("the fast reader and the complete reader agree on runs without records") {
  const std::vector<std::pair<std::vector<contract::ResultRecord>, bool>> cases{
      {{}, false},
      {{contract::StepWindow{}}, false},
      {{window_with(false, 10, "")}, true},
      {{contract::EpochRecord{.epoch = 0, .steps = 10}}, true},
      {{evaluated(0)}, true},
      {{contract::ProfileRecord{.steps = 20, .wall_s = 4}}, true},
  };
  for (const auto& [records, expected] : cases) {
    OneRun one;
    CHECK(one.collected(records).has_records == expected);
    CHECK(read_outcomes(one.study.folder).runs.at(0).has_records == expected);
  }
}

TEST_CASE("counters are stored once after a rebuild") {
  OneRun one;
  one.collected({window_with(false, 10, R"({"horovod_cycles":20})")});
  ingest(one.study.folder, true);
  CHECK(one.query("sum(value) FROM counter_sum") == "20.0");
}

}  // namespace dlscale::analysis
