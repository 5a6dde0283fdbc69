// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale predict --mtbf` through the program.
#include <catch2/catch.hpp>

#include "predict/checkpoint_interval.hpp"
#include "tests/cli/planned_demo.hpp"
#include "tests/cli/told_rows.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::StartsWith;

namespace {

constexpr double kHours = 1000;  // mean time between failures of a node
constexpr double kBetween_s = kHours * 3600, kEpochs = 1e6;

struct SavingStudy {
  SavingStudy() {
    base::write_file_atomically(dlscale.folder / "study.toml", R"(
[study]
name = "saving"
scaling = "weak"
[matrix]
framework = ["ddp"]
model = ["mlp"]
gpus = [1, 8]
batch_per_gpu = [32]
[training]
dataset = { kind = "cifar10", path = "data" }
epochs = 1000000
lr.base = 0.1
)");
  }
  test::Ran predict(const std::vector<std::string>& more) {
    std::vector<std::string> words{"predict", "study.toml", "--site",   "altec",
                                   "--up-to", "8",          "--format", "json"};
    words.insert(words.end(), more.begin(), more.end());
    return dlscale.run(words);
  }
  test::DlscaleProgram dlscale;
};

/// Writes a launch that saved its state once per entry of `seconds`.
void save(const test::PlannedDemo& demo, const std::string& run_id,
          const std::vector<double>& seconds) {
  std::vector<contract::ResultRecord> records{contract::RunStart{}};
  for (const double wall_s : seconds) {
    contract::CheckpointRecord saved;
    saved.wall_s = wall_s;
    records.push_back(saved);
  }
  records.push_back(contract::RunStop{});
  demo.launch(run_id, records);
}

}  // namespace

TEST_CASE("checkpoint advice gives minutes, steps and epochs for each number of nodes") {
  SavingStudy study;
  const test::Ran ran = study.predict(
      {"--mtbf", "1000", "--checkpoint-write", "30", "-S", "training.checkpoint.every_epochs=10"});
  const test::Row eight = test::row_with(test::told_rows(ran, "checkpoints"), {{"gpus", 8}});
  const test::Row times = test::row_with(test::told_rows(ran, "predicted-times"), {{"gpus", 8}});
  const predict::Seconds write{30}, between{kBetween_s / 8};
  const predict::Seconds best = predict::daly_interval(write, between);
  const double epoch_s = test::number(times, "epoch_s");
  CHECK(test::number(eight, "mtbf_s") == between.value);
  CHECK(test::number(eight, "young_s") == Approx(std::sqrt(2 * 30 * kBetween_s / 8)));
  CHECK(test::number(eight, "daly_s") == Approx(best.value));
  CHECK(test::number(eight, "steps") == Approx(best.value / test::number(times, "step_s")));
  CHECK(test::number(eight, "epochs") == Approx(best.value / epoch_s));
  CHECK(test::text(eight, "setting") == "every 10 epochs");
  const predict::Seconds work{kEpochs * epoch_s};
  CHECK(test::number(eight, "lost") ==
        Approx(predict::checkpoint_loss(work, best, write, between)));
  CHECK(test::number(eight, "setting_lost") ==
        Approx(predict::checkpoint_loss(work, {10 * epoch_s}, write, between)));
  CHECK(test::number(eight, "lost") < test::number(eight, "setting_lost"));
  CHECK(test::number(eight, "steps_bounds_low") ==
        Approx(best.value / test::number(times, "step_bounds_s_high")));
  CHECK(test::number(eight, "epochs_bounds_low") < test::number(eight, "epochs"));
  CHECK(test::number(eight, "epochs_bounds_high") > test::number(eight, "epochs"));
}

TEST_CASE("a study that saves by time or never reports the loss of its own setting") {
  SavingStudy study;
  const std::vector<std::string> asked{"--mtbf", "1000", "--checkpoint-write", "30"};
  auto by_time = asked;
  by_time.insert(by_time.end(), {"-S", "training.checkpoint.every_minutes=20"});
  const test::Row timed =
      test::row_with(test::told_rows(study.predict(by_time), "checkpoints"), {{"gpus", 1}});
  CHECK(test::text(timed, "setting") == "every 20 min");
  CHECK(test::number(timed, "setting_lost") ==
        Approx(predict::checkpoint_loss({1e12}, {1200}, {30}, {kBetween_s})));
  const test::Ran ran = study.predict(asked);
  const test::Row never = test::row_with(test::told_rows(ran, "checkpoints"), {{"gpus", 1}});
  const test::Row times = test::row_with(test::told_rows(ran, "predicted-times"), {{"gpus", 1}});
  const predict::Seconds work{kEpochs * test::number(times, "epoch_s")};
  CHECK(test::text(never, "setting") == "never");
  CHECK(test::number(never, "setting_lost") ==
        Approx(predict::checkpoint_loss(work, work, {30}, {kBetween_s})));
}

TEST_CASE("checkpoint write times come from runs of the same model and framework") {
  test::PlannedDemo demo;
  for (const auto& run : contract::read_plan(demo.folder).runs) {
    if (run.point.at("framework") == "ddp" && run.gpus == 1) save(demo, run.run_id, {11, 14, 12});
    if (run.point.at("framework") == "ddp" && run.gpus == 2) save(demo, run.run_id, {20});
  }
  const test::Ran ran =
      demo.dlscale.run({"predict", DLSCALE_SOURCE_DIR "/examples/studies/demo/study.toml", "--site",
                        "altec", "--mtbf", "1000", "--checkpoint-write", "demo", "--up-to", "8",
                        "-S", "matrix.batch_per_gpu=32", "--format", "json"});
  const std::vector<test::Row> rows = test::told_rows(ran, "checkpoints");
  CHECK(test::number(test::row_with(rows, {{"gpus", 1}}), "write_s") == 12);
  CHECK(test::number(test::row_with(rows, {{"gpus", 2}}), "write_s") == 20);
  // The measured time of 2 GPUs also applies to more GPUs.
  CHECK(test::number(test::row_with(rows, {{"gpus", 8}}), "write_s") == 20);
  CHECK_THAT(ran.out, Contains("no run of mlp with synchronous in demo has saved its state"));
}

TEST_CASE("results of other models and frameworks are not read") {
  test::PlannedDemo demo;
  for (const auto& run : contract::read_plan(demo.folder).runs) {
    if (run.point.at("framework") == "ddp") {
      save(demo, run.run_id, {12});
    } else {  // unreadable results
      base::make_directories(demo.folder.run(run.run_id).make_next_launch().results());
    }
  }
  const auto predict = [&](const std::string& frameworks) {
    return demo.dlscale.run({"predict", DLSCALE_SOURCE_DIR "/examples/studies/demo/study.toml",
                             "--site", "altec", "--mtbf", "1000", "--checkpoint-write", "demo",
                             "--up-to", "2", "-S", "matrix.framework=" + frameworks});
  };
  CHECK(predict("['ddp']").exit_code == 0);
  CHECK(predict("['ddp', 'synchronous']").exit_code == 1);
}

TEST_CASE("missing or wrong options of checkpoint advice give an error that names them") {
  SavingStudy study;
  const auto refused = [&](const std::vector<std::string>& words, const std::string& message) {
    INFO(message);
    const test::Ran ran = study.predict(words);
    CHECK(ran.exit_code == 2);
    CHECK(ran.out.empty());
    CHECK_THAT(ran.err, StartsWith("dlscale: ") && Contains(message));
  };
  refused({"--mtbf", "1000"}, "--checkpoint-write SECONDS");
  refused({"--checkpoint-write", "30"}, "also give --mtbf HOURS");
  refused({"--mtbf", "0", "--checkpoint-write", "30"}, "--mtbf");
  refused({"--mtbf", "1000", "--checkpoint-write", "0"}, "expected seconds above 0");
  refused({"--mtbf", "1000", "--checkpoint-write", "30s"}, "must be a number of seconds or a plan");
  refused({"--mtbf", "1000", "--checkpoint-write", "."}, "no plan.json in .");
  const test::PlannedDemo demo;
  refused({"--mtbf", "1000", "--checkpoint-write", demo.folder.root().string()},
          "contains no run of mlp with ddp that has saved its state");
}
