// SPDX-License-Identifier: Apache-2.0
#include "trainer/loop/trainer.hpp"

#include <torch/types.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <string>

#include "base/file.hpp"
#include "contract/plan/run_dir.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/data/sample_files.hpp"
#include "tests/trainer/thread_launch.hpp"

using namespace dlscale;
using test::all;

namespace {

contract::RunSpec trainer_recipe(int ranks) {
  contract::RunSpec spec;
  spec.precision = "fp64";
  spec.dataset = {"synthetic_digits", "", 130, 50};
  spec.gpus = ranks;
  spec.batch_per_gpu = 24 / ranks;
  spec.global_batch = 24;
  spec.epochs = 2;
  spec.warmup_epochs = 1;
  spec.lr = {.base = 0.01, .peak = 0.1};
  spec.lr_schedule.kind = "cosine";
  spec.optimizer = {.momentum = 0.9, .nesterov = true, .weight_decay = 1e-4};
  spec.label_smoothing = 0.1;
  spec.window_steps = 4;
  return spec;
}

/// Runs `spec.gpus` ranks as threads and returns the records in results.jsonl.
std::vector<contract::ResultRecord> run(const contract::RunSpec& spec) {
  test::TempDir folder;
  return test::launch(spec, folder.path()).records;
}

}  // namespace

TEST_CASE("three ranks train like one rank with the whole batch") {
  const std::string framework = GENERATE("synchronous", "ddp");
  auto one = trainer_recipe(1);
  auto three = trainer_recipe(3);
  one.framework = three.framework = framework;
  const auto expected = run(one);
  const auto found = run(three);
  const auto windows = all<contract::StepWindow>(expected);
  REQUIRE(all<contract::StepWindow>(found).size() == windows.size());
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const double loss = all<contract::StepWindow>(found)[i].train_loss;
    CHECK(loss == Approx(windows[i].train_loss).epsilon(1e-10));
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const auto eval = all<contract::EvalRecord>(found)[i];
    const auto reference = all<contract::EvalRecord>(expected)[i];
    CHECK(eval.samples == 50);
    CHECK(eval.correct == reference.correct);
    CHECK(eval.loss == Approx(reference.loss).epsilon(1e-10));
  }
}

TEST_CASE("a run's records are complete and their step parts sum to the wall time") {
  const auto records = run(trainer_recipe(1));
  const auto windows = all<contract::StepWindow>(records);
  REQUIRE(windows.size() == 4);  // each epoch has windows of 4 and 2 steps
  CHECK(all<contract::EpochRecord>(records).size() == 2);
  CHECK(all<contract::RunStop>(records)[0].samples == 2 * 6 * 24);
  std::int64_t step = 0;
  for (const auto& window : windows) {
    CHECK(window.first_step == step);
    step += window.steps;
    double sum = 0;
    for (const auto& part : window.parts) {
      CHECK(part.mean >= -1e-9);
      sum += part.mean;
    }
    CHECK(sum == Approx(window.wall_s));
  }
}

TEST_CASE("the work times of ranks are recorded per epoch, without the first window of the run") {
  auto spec = trainer_recipe(2);
  spec.framework = GENERATE("synchronous", "ddp", "horovod");
  CAPTURE(spec.framework);
  const auto times = all<contract::RankTimes>(run(spec));
  REQUIRE(times.size() == 2);
  CHECK(times[0].steps == 2);  // the times exclude the first window of 4 steps
  CHECK(times[1].epoch == 1);
  CHECK(times[1].steps == 6);
  for (const auto& record : times) {
    CHECK(record.stages == 0);
    REQUIRE(record.work_s.size() == 2);
    CHECK(std::min(record.work_s[0], record.work_s[1]) > 0);
  }
  CHECK(all<contract::RankTimes>(run(trainer_recipe(1))).empty());
}

TEST_CASE("an epoch counts the training samples that its steps classified correctly") {
  auto spec = trainer_recipe(1);
  spec.dataset.train_samples = 120;  // 5 whole steps, so that no sample is repeated
  spec.lr = {.base = 0, .peak = 0};
  const auto unchanged = all<contract::EpochRecord>(run(spec));
  REQUIRE(unchanged[0].correct.has_value());
  CHECK(unchanged[0].correct == unchanged[1].correct);
  CHECK(*unchanged[0].correct < 120);
  spec.dataset.train_samples = 24;
  spec.epochs = 60;
  spec.warmup_epochs = 0;
  spec.lr = {.base = 0.1, .peak = 0.1};
  CHECK(all<contract::EpochRecord>(run(spec)).back().correct == 24);
  spec.epochs = 1;
  spec.label_smoothing = 0;
  spec.model = "conv_autoencoder";
  spec.dataset = {.kind = "synthetic",
                  .train_samples = 24,
                  .test_samples = 4,
                  .shape = "1x28x28",
                  .classes = 2};
  CHECK_FALSE(all<contract::EpochRecord>(run(spec))[0].correct.has_value());
}

TEST_CASE("the training results of ranks agree with the results of the epoch") {
  auto spec = trainer_recipe(2);
  const auto records = run(spec);
  const auto epoch = all<contract::EpochRecord>(records)[1];
  const auto ranks = all<contract::RankTimes>(records)[1];
  REQUIRE(ranks.train_loss.size() == 2);
  REQUIRE(ranks.train_accuracy.size() == 2);
  CHECK(ranks.train_loss[0] != ranks.train_loss[1]);
  CHECK((ranks.train_loss[0] + ranks.train_loss[1]) / 2 == Approx(epoch.train_loss).epsilon(1e-4));
  const double accuracy = (ranks.train_accuracy[0] + ranks.train_accuracy[1]) / 2;
  const auto samples = static_cast<double>(epoch.samples);
  CHECK(accuracy == Approx(static_cast<double>(*epoch.correct) / samples).epsilon(1e-4));
  spec.framework = "vanilla_data_parallel";  // only rank 0 computes a loss
  const auto led = all<contract::RankTimes>(run(spec))[1];
  CHECK(led.train_loss.empty());
  CHECK(led.train_accuracy.empty());
}

TEST_CASE("evaluation runs at the requested interval and after the last epoch") {
  auto spec = trainer_recipe(1);
  spec.epochs = 5;
  spec.evaluate_every = 2;
  std::vector<int> epochs;
  for (const auto& eval : all<contract::EvalRecord>(run(spec))) epochs.push_back(eval.epoch);
  CHECK(epochs == std::vector<int>{1, 3, 4});
}

TEST_CASE("a run of N steps ends after N steps and evaluates its incomplete last epoch") {
  auto spec = trainer_recipe(2);  // an epoch has 6 steps
  spec.epochs = 0;
  spec.steps = 9;
  const auto records = run(spec);
  const auto epochs = all<contract::EpochRecord>(records);
  REQUIRE(epochs.size() == 2);
  CHECK(epochs[0].steps == 6);
  CHECK(epochs[1].steps == 3);
  CHECK(epochs[1].samples == 3 * 24);
  CHECK(all<contract::EvalRecord>(records).size() == 2);
  CHECK(all<contract::RunStop>(records)[0].samples == 9 * 24);
  const auto windows = all<contract::StepWindow>(records);
  CHECK(windows.back().first_step + windows.back().steps == 9);
  spec.steps = 2;
  const auto short_run = run(spec);
  CHECK(all<contract::EpochRecord>(short_run)[0].steps == 2);
  CHECK(all<contract::EvalRecord>(short_run).size() == 1);
}

TEST_CASE("a run of as many steps as whole epochs is the run of these epochs") {
  auto by_epochs = trainer_recipe(1), by_steps = by_epochs;
  by_steps.epochs = 0;
  by_steps.steps = 12;
  const auto expected = all<contract::StepWindow>(run(by_epochs));
  const auto found = all<contract::StepWindow>(run(by_steps));
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].train_loss == expected[i].train_loss);
    CHECK(found[i].lr == expected[i].lr);
  }
}

TEST_CASE("a loss that is not finite ends the run as diverged, on every rank") {
  auto spec = trainer_recipe(3);
  spec.lr = {.base = 1e200, .peak = 1e200};
  const auto records = run(spec);
  const auto stop = all<contract::RunStop>(records)[0];
  CHECK(stop.outcome == contract::RunOutcome::Diverged);
  CHECK_THAT(stop.reason, Catch::Contains("the training loss is not finite after step 4"));
  CHECK(all<contract::StepWindow>(records).size() == 1);
}

TEST_CASE("a last step that makes the weights unusable ends the run as diverged") {
  auto spec = trainer_recipe(1);
  spec.dataset.train_samples = spec.global_batch;
  spec.epochs = 1;
  spec.lr = {.base = 1e200, .peak = 1e200};
  const auto records = run(spec);
  const auto stop = all<contract::RunStop>(records)[0];
  CHECK(stop.outcome == contract::RunOutcome::Diverged);
  CHECK_THAT(stop.reason, Catch::Contains("the test loss is not finite after step 1"));
  CHECK(all<contract::EvalRecord>(records).size() == 1);
}

TEST_CASE("missing data is the same error on every rank") {
  auto spec = trainer_recipe(3);
  spec.dataset = {"mnist", "/nowhere"};
  CHECK_THROWS_WITH(run(spec), Catch::Contains("cannot read /nowhere/train-images-idx3-ubyte: "));
}

TEST_CASE("a target is recorded once, when an evaluation first reaches it") {
  auto spec = trainer_recipe(2);
  spec.epochs = 4;
  spec.target = {.accuracy = 0.2, .loss = 2.0};
  const auto records = run(spec);
  const auto evals = all<contract::EvalRecord>(records);
  const auto epochs = all<contract::EpochRecord>(records);
  REQUIRE(epochs.size() == 4);  // the run does not stop at the target
  for (const auto& target : all<contract::TargetRecord>(records)) {
    const bool is_accuracy = target.metric == "accuracy";
    const auto first = static_cast<int>(std::find_if(evals.begin(), evals.end(),
                                                     [&](const auto& eval) {
                                                       return is_accuracy ? eval.accuracy >= 0.2
                                                                          : eval.loss <= 2.0;
                                                     }) -
                                        evals.begin());
    CHECK(target.epoch == first);
    CHECK(target.value == (is_accuracy ? evals[first].accuracy : evals[first].loss));
    CHECK(target.step == (first + 1) * 6);
    CHECK(target.samples == target.step * 24);
    double train_s = 0;
    for (int epoch = 0; epoch <= first; ++epoch) train_s += epochs[epoch].wall_s;
    CHECK(target.train_s == Approx(train_s));
  }
  CHECK(all<contract::TargetRecord>(records).size() == 2);
}

TEST_CASE("a target on the training loss is recorded at the first step window that reaches it") {
  auto spec = trainer_recipe(2);
  spec.window_steps = 1;
  spec.epochs = 3;
  const auto windows_without = all<contract::StepWindow>(run(spec));
  REQUIRE(windows_without.size() == 18);
  // The loss falls slowly. Halfway through the second epoch, some steps have reached this target.
  spec.target.train_loss = windows_without[8].train_loss;
  const auto records = run(spec);
  const auto windows = all<contract::StepWindow>(records);
  const auto first = std::find_if(windows.begin(), windows.end(), [&](const auto& window) {
    return window.train_loss <= spec.target.train_loss;
  });
  const auto targets = all<contract::TargetRecord>(records);
  REQUIRE(targets.size() == 1);
  CHECK(targets[0].metric == "train_loss");
  CHECK(targets[0].threshold == spec.target.train_loss);
  CHECK(targets[0].value == first->train_loss);
  CHECK(targets[0].step == first->first_step + 1);
  CHECK(targets[0].epoch == first->epoch);
  CHECK(targets[0].samples == targets[0].step * 24);
  double train_s = 0;
  for (auto window = windows.begin(); window <= first; ++window) train_s += window->wall_s;
  CHECK(targets[0].train_s == Approx(train_s).epsilon(0.2));  // the slowest rank may change
  CHECK(all<contract::EpochRecord>(records).size() == 3);     // the run does not stop at the target
  spec.target.train_loss = 1e-9;
  CHECK(all<contract::TargetRecord>(run(spec)).empty());
}

TEST_CASE("a run that stops at its training loss is evaluated after the epoch that reached it") {
  auto spec = trainer_recipe(2);
  spec.epochs = 9;
  spec.evaluate_every = 9;
  spec.target = {.train_loss = 100, .stop = true};
  const auto records = run(spec);
  CHECK(all<contract::TargetRecord>(records)[0].step == 4);
  CHECK(all<contract::EpochRecord>(records).size() == 1);
  CHECK(all<contract::EvalRecord>(records).size() == 1);
  CHECK(all<contract::RunStop>(records)[0].reason == "the target was reached after epoch 1 of 9");
  spec.epochs = 3;
  spec.target.loss = 1e-9;  // the run continues until it has reached all targets
  CHECK(all<contract::EpochRecord>(run(spec)).size() == 3);
}

TEST_CASE("with target.stop a run completes when it reaches all targets and records the reason") {
  auto spec = trainer_recipe(2);
  spec.epochs = 9;
  spec.target = {.accuracy = 0.15, .stop = true};
  const auto records = run(spec);
  const auto epochs = all<contract::EpochRecord>(records).size();
  CHECK(epochs < 9);
  CHECK(all<contract::RunStop>(records)[0].outcome == contract::RunOutcome::Completed);
  CHECK(all<contract::RunStop>(records)[0].reason ==
        "the target was reached after epoch " + std::to_string(epochs) + " of 9");
}

TEST_CASE("a BLEU target is recorded when the translations of the test set reach it") {
  test::TempDir folder;
  for (const char* split : {"train", "test_2016_flickr"}) {
    test::write_text(folder / (split + std::string(".en")), "a b c d e\na b c d e f\n");
    test::write_text(folder / (split + std::string(".de")), "v w x y z\nv w x y z u\n");
  }
  auto spec = trainer_recipe(2);
  spec.model = "seq2seq";
  spec.model_options = {.embedding = 8, .hidden = 16};
  spec.dataset = {"text_multi30k", folder.path()};
  spec.loader = "text";
  spec.batch_per_gpu = 1;
  spec.global_batch = 2;
  spec.epochs = 200;
  spec.lr = {.base = 0.01, .peak = 0.01};
  spec.optimizer = {.kind = "adam"};
  spec.target = {.bleu = 60, .stop = true};
  const auto records = run(spec);
  const auto evals = all<contract::EvalRecord>(records);
  CHECK(evals.size() < 200);
  for (const auto& eval : evals) {
    CHECK((eval.metrics.at("bleu") >= 60) == (eval.epoch == evals.back().epoch));
  }
  const auto targets = all<contract::TargetRecord>(records);
  REQUIRE(targets.size() == 1);
  CHECK(targets[0].metric == "bleu");
  CHECK(targets[0].threshold == 60);
  CHECK(targets[0].value == evals.back().metrics.at("bleu"));
}

TEST_CASE(
    "the number of warm-up steps stays the same if the files have fewer samples than planned") {
  test::TempDir folder;
  test::write_idx(folder.path(), 60, 40);
  auto spec = trainer_recipe(1);
  spec.dataset = {"mnist", folder.path()};
  spec.window_steps = 1;
  spec.lr.warmup_steps = 5;
  spec.warmup_epochs = 5.0 / 2500;  // share of an epoch of 60,000 samples, as in the plan
  const auto windows = all<contract::StepWindow>(run(spec));
  REQUIRE(windows.size() == 6);  // two epochs of 3 steps each
  for (int step = 0; step < 5; ++step) {
    CHECK(windows[step].lr == Approx(0.01 + (0.1 - 0.01) * step / 5));
  }
  CHECK(windows[5].lr == Approx(0.1 * (1 + std::cos(std::numbers::pi * 5 / 6)) / 2));
}

TEST_CASE(
    "a warm-up that takes the whole run is reported if the data set is smaller than planned") {
  test::TempDir files;
  test::write_idx(files.path(), 60, 40);
  auto spec = trainer_recipe(1);
  spec.dataset = {"mnist", files.path()};
  spec.warmup_epochs = 6.0 / 2500;  // share of an epoch of 60,000 samples, as in the plan
  const auto told = [&](std::int64_t steps) {
    test::TempDir folder;
    spec.lr.warmup_steps = steps;
    test::launch(spec, folder.path());
    return base::read_file(contract::RunDir(folder.path()).launch(1).err());
  };
  CHECK(told(5) == "");  // the warm-up takes 5 of the 6 steps
  CHECK_THAT(told(6),
             Catch::Contains("never reached: the warm-up has 6 steps, but the run has only 6, "
                             "because the data set has 60 samples"));
  spec.warmup_epochs = 2;  // the plan has already reported such a warm-up
  CHECK(told(6) == "");
}

TEST_CASE("consecutive epochs without progress end the run as diverged") {
  auto spec = trainer_recipe(2);
  spec.epochs = 9;
  spec.plateau_epochs = 2;
  spec.lr = {.base = 0, .peak = 0};
  const auto records = run(spec);
  const auto epochs = all<contract::EpochRecord>(records);
  REQUIRE(epochs[0].train_loss >= std::log(10.0) * 0.999);
  CHECK(epochs.size() == 2);
  const auto stop = all<contract::RunStop>(records)[0];
  CHECK(stop.outcome == contract::RunOutcome::Diverged);
  CHECK_THAT(stop.reason, Catch::StartsWith("the training loss of 2 epochs in a row was not below "
                                            "ln(10) = 2.3026, the loss of random guessing; "));
  spec.lr = {.base = 0.1, .peak = 0.1};
  CHECK(all<contract::EpochRecord>(run(spec)).size() == 9);
}

TEST_CASE("equal run descriptions give equal bits, on one rank and on two") {
  for (const char* model : {"mlp", "cnn"}) {
    for (const int ranks : {1, 2}) {
      auto spec = trainer_recipe(ranks);
      spec.model = model;
      spec.precision = "fp32";
      test::TempDir first_folder, second_folder;
      const auto first = test::launch(spec, first_folder.path());
      const auto second = test::launch(spec, second_folder.path());
      INFO(model << " on " << ranks);
      CHECK(first.parameters == second.parameters);
      const auto windows = all<contract::StepWindow>(first.records);
      REQUIRE(windows.size() == all<contract::StepWindow>(second.records).size());
      for (std::size_t i = 0; i < windows.size(); ++i) {
        const double loss = all<contract::StepWindow>(second.records)[i].train_loss;
        CHECK(windows[i].train_loss == loss);
      }
    }
  }
}

TEST_CASE("the same seed gives the same losses, and another repetition gives other losses") {
  auto spec = trainer_recipe(1);
  const auto first = all<contract::StepWindow>(run(spec))[0].train_loss;
  CHECK(all<contract::StepWindow>(run(spec))[0].train_loss == first);
  spec.repetition = 2;
  CHECK(all<contract::StepWindow>(run(spec))[0].train_loss != first);
}
