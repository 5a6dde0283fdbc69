// SPDX-License-Identifier: Apache-2.0
// Tests of values that rows do not state: samples and steps of epochs, and times of rates.
#include "analysis/import/mapped/row_records.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/import/mapped/mapped_format.hpp"
#include "tests/analysis/support/log_folder.hpp"
#include "tests/support/records.hpp"

namespace dlscale::analysis {
namespace {

using contract::EpochRecord;
using contract::StepWindow;
using test::all;
using test::format_of;
using test::rate_of;

contract::RunSpec batches_of_16() {
  contract::RunSpec run;
  run.global_batch = 16;
  return run;
}

contract::ResultsFile read_rows(const std::string& text, const MappedFormat& format) {
  return read_mapped(text, format, {}, batches_of_16()).file;
}

}  // namespace

TEST_CASE("csv: an epoch row without samples has those of the training set, if its size is known") {
  contract::RunSpec run = batches_of_16();
  run.dataset.train_samples = 800;
  const auto format = format_of("csv", {"epoch=epoch", "wall_s=t"});
  const auto file = read_mapped("epoch,t\n0,20\n1,10\n", format, {}, run).file;
  const auto windows = all<StepWindow>(file);
  REQUIRE(windows.size() == 2);
  CHECK(windows[1].samples == 800);
  CHECK(windows[1].steps == 50);
  CHECK(all<EpochRecord>(file)[1].samples == 800);
  CHECK(file.skipped.empty());
}

TEST_CASE("csv: an epoch with unknown samples has a time without a rate, and is reported") {
  const auto file =
      read_rows("epoch,t\n0,20\n1,10\n", format_of("csv", {"epoch=epoch", "wall_s=t"}));
  CHECK(all<StepWindow>(file).empty());
  const auto epochs = all<EpochRecord>(file);
  REQUIRE(epochs.size() == 2);
  CHECK(epochs[1].wall_s == 10);
  CHECK(epochs[1].samples == 0);
  CHECK(epochs[1].steps == 0);
  const std::string why =
      " is unknown: no rate (map samples or steps, or state the size of the training set with "
      "--set train_samples=N)";
  CHECK(file.skipped == std::vector<std::string>{"line 2: the number of samples in epoch 0" + why,
                                                 "line 3: the number of samples in epoch 1" + why});
}

TEST_CASE("csv: an epoch row with steps has a batch of samples for each step") {
  const auto format = format_of("csv", {"epoch=epoch", "wall_s=t", "steps=n"});
  const auto windows = all<StepWindow>(read_rows("epoch,t,n\n0,20,50\n", format));
  REQUIRE(windows.size() == 1);
  CHECK(windows[0].samples == 50 * 16);
}

TEST_CASE("csv: several rows of one epoch count neither as epochs nor as steps") {
  contract::RunSpec run = batches_of_16();
  run.dataset.train_samples = 800;
  const auto format = format_of("csv", {"epoch=epoch", "wall_s=t"});
  const auto file = read_mapped("epoch,t\n0,2\n0,1\n1,3\n", format, {}, run).file;
  REQUIRE(file.skipped.size() == 2);
  CHECK(
      file.skipped[1] ==
      "line 3: epoch 0 has 2 rows with an unknown number of samples: no rate (map step, samples or "
      "steps)");
  const auto windows = all<StepWindow>(file);
  REQUIRE(windows.size() == 1);
  CHECK(windows[0].samples == 800);  // the next epoch has a single row
  CHECK(all<EpochRecord>(file)[0].wall_s == 3);
}

TEST_CASE("csv: rates alone have equal weights and no steps or parts") {
  const auto format = format_of("csv", {"samples_per_s=rate"});
  const auto windows = all<StepWindow>(
      read_mapped("rate\n100\n300\n", format, {}, contract::RunSpec{.global_batch = 0}).file);
  REQUIRE(windows.size() == 2);
  CHECK(rate_of(windows[0]) == Approx(100));
  CHECK(rate_of(windows[1]) == Approx(300));
  for (const StepWindow& window : windows) {
    CHECK(window.samples == 1);
    CHECK(window.steps == 0);
    CHECK(std::isnan(window.parts[7].mean));
  }
}

TEST_CASE("csv: a rate and the batch give the time of a step") {
  const auto windows =
      all<StepWindow>(read_rows("rate\n100\n", format_of("csv", {"samples_per_s=rate"})));
  REQUIRE(windows.size() == 1);
  CHECK(windows[0].steps == 1);
  CHECK(windows[0].wall_s == Approx(0.16));
  CHECK(windows[0].parts[7].mean == Approx(0.16));
}

TEST_CASE("csv: a rate of an epoch with unknown samples does not give the time of the epoch") {
  const auto format = format_of("csv", {"epoch=epoch", "samples_per_s=rate", "loss=loss"});
  const auto file = read_rows("epoch,rate,loss\n0,100,0.5\n", format);
  const auto windows = all<StepWindow>(file);
  REQUIRE(windows.size() == 1);
  CHECK(rate_of(windows[0]) == Approx(100));
  CHECK(windows[0].steps == 0);
  const auto epochs = all<EpochRecord>(file);
  REQUIRE(epochs.size() == 1);
  CHECK(std::isnan(epochs[0].wall_s));
  CHECK(epochs[0].train_loss == 0.5);
}

TEST_CASE("csv: a rate over a time without a step does not tell the time of a step") {
  const auto format = format_of("csv", {"samples_per_s=rate", "wall_s=t"});
  const std::string text = "rate,t\n160,10\n320,10\n";
  const auto unknown =
      all<StepWindow>(read_mapped(text, format, {}, contract::RunSpec{.global_batch = 0}).file);
  REQUIRE(unknown.size() == 2);
  CHECK(unknown[0].steps == 0);
  CHECK(unknown[1].samples == 3200);
  const auto known = all<StepWindow>(read_rows(text, format));  // batches of 16
  REQUIRE(known.size() == 2);
  CHECK(known[0].steps == 100);
  CHECK(known[1].steps == 200);
}

TEST_CASE("pattern: an evaluation belongs to the epoch of the rows before it") {
  MappedFormat format{.kind = "pattern"};
  format.patterns = {R"(^E (?<epoch>\d+) step (?<step>\d+) (?<wall_s>[\d.]+) s)",
                     R"(^tested: (?<accuracy>[\d.]+))"};
  const auto evals = all<contract::EvalRecord>(read_rows(
      "tested: 0.01\nE 0 step 0 0.4 s\ntested: 0.1\nE 1 step 0 0.4 s\ntested: 0.2\n", format));
  REQUIRE(evals.size() == 3);
  CHECK(evals[0].epoch == kUnknownEpoch);
  CHECK(evals[1].epoch == 0);
  CHECK(evals[2].epoch == 1);
}

TEST_CASE("pattern: steps belong to the epoch that a separate line names") {
  MappedFormat format{.kind = "pattern"};
  format.patterns = {R"(^Epoch (?<epoch>\d+)/\d+)",
                     R"((?<steps>\d+)/100 .* (?<wall_s>\d+)s .*accuracy: (?<accuracy>[\d.]+))"};
  const auto file = read_rows(
      "50/100 [=] - 3s accuracy: 0.1\nEpoch 1/2\n100/100 [=] - 5s accuracy: 0.2\nEpoch 2/2\n"
      "100/100 [=] - 4s accuracy: 0.3\n",
      format);
  const auto windows = all<StepWindow>(file);
  REQUIRE(windows.size() == 3);
  CHECK(windows[0].epoch == 0);  // no row has named an epoch yet
  CHECK(windows[1].epoch == 0);
  CHECK(windows[2].epoch == 1);
  CHECK(windows[2].steps == 100);
  CHECK(windows[2].samples == 1600);
  CHECK(all<contract::EvalRecord>(file)[2].epoch == 1);
}

TEST_CASE("pattern: steps before a line that ends an epoch belong to this epoch") {
  MappedFormat format{.kind = "pattern"};
  format.patterns = {R"(^it (?<step>\d+): (?<wall_s>\d+) s)",
                     R"(^epoch (?<epoch>\d+): (?<accuracy>[\d.]+))"};
  const auto epochs_in = [&](const std::string& text) {
    std::vector<int> epochs;
    for (const auto& window : all<StepWindow>(read_rows(text, format))) {
      epochs.push_back(window.epoch);
    }
    return epochs;
  };
  const std::string steps = "it 1: 1 s\nit 2: 1 s\n";
  CHECK(epochs_in(steps + "epoch 1: 0.1\n" + steps + "epoch 2: 0.2\n" + steps) ==
        std::vector<int>{0, 0, 1, 1, 2, 2});
  CHECK(epochs_in(steps + "epoch 0: 0.1\n" + steps + "epoch 1: 0.2\n") ==
        std::vector<int>{0, 0, 1, 1});
  // The accuracy is printed twice in each epoch.
  CHECK(epochs_in("it 1: 1 s\nepoch 1: 0.1\nit 2: 1 s\nepoch 1: 0.2\nit 1: 1 s\nepoch 2: 0.2\n") ==
        std::vector<int>{0, 0, 1});
}

TEST_CASE("epochs of rows count from 0, as the log shows or as the user states") {
  auto format = format_of("csv", {"epoch=epoch", "step=step", "wall_s=t", "accuracy=a"});
  const auto read = [&](const std::string& rows) {
    return read_mapped("epoch,step,t,a\n" + rows, format, {}, batches_of_16());
  };
  const LogContent from_1 = read("1,1,9,\n1,,,0.5\n2,1,9,\n2,,,0.6\n");
  CHECK(from_1.epochs_from == 1);
  CHECK(from_1.file.skipped.empty());
  CHECK(all<StepWindow>(from_1.file)[1].epoch == 1);
  CHECK(all<contract::EvalRecord>(from_1.file)[0].epoch == 0);
  CHECK(read("0,1,9,\n1,1,9,\n").epochs_from == 0);
  format.counts.epochs_from = 0;
  CHECK(all<StepWindow>(read("1,1,9,\n").file)[0].epoch == 1);
}

TEST_CASE("a log that does not show how its epochs count is reported") {
  auto format = format_of("csv", {"epoch=epoch", "wall_s=t", "samples=n"});
  const std::string text = "epoch,t,n\n4,9,1\n5,9,1\n";
  const auto file = read_rows(text, format);
  REQUIRE(file.skipped.size() == 1);
  CHECK_THAT(file.skipped[0],
             Catch::StartsWith("line 2: the smallest epoch in the log is 4, so the log does not "
                               "show whether") &&
                 Catch::Contains("Add epochs_from = 0 or epochs_from = 1 to [trainer.read]"));
  CHECK(contract::remarks_on(file) == file.skipped);
  CHECK(all<EpochRecord>(file)[0].epoch == 4);
  contract::RunSpec run = batches_of_16();
  run.trainer.command = "train";
  run.epochs = 5;  // so the last epoch is number 5
  CHECK(all<EpochRecord>(read_mapped(text, format, {}, run).file)[0].epoch == 3);
  format.counts.epochs_from = 1;
  CHECK(all<EpochRecord>(read_rows(text, format))[0].epoch == 3);
  CHECK(read_rows(text, format).skipped.empty());
}

TEST_CASE("a log may state the number of its epochs, and messages name epochs as the log does") {
  MappedFormat format{.kind = "pattern"};
  format.patterns = {R"(^Epoch (?<epoch>\d+)/(?<epochs>\d+): (?<wall_s>\d+) s)"};
  const auto file = read_rows("Epoch 2/3: 9 s\nEpoch 3/3: 9 s\n", format);
  CHECK(all<EpochRecord>(file)[1].epoch == 2);
  CHECK_THAT(file.skipped.at(0), Catch::Contains("the number of samples in epoch 2 is unknown"));
}

TEST_CASE("training before the first epoch is skipped, and an evaluation has no epoch") {
  auto format = format_of("csv", {"epoch=epoch", "step=step", "wall_s=t", "accuracy=a"});
  format.counts.epochs_from = 1;
  const auto file = read_rows("epoch,step,t,a\n0,,,0.1\n0,1,9,\n1,1,9,\n", format);
  CHECK(file.skipped ==
        std::vector<std::string>{"line 3: the epoch is 0, but the first epoch is 1"});
  CHECK(all<StepWindow>(file).size() == 1);
  REQUIRE(all<contract::EvalRecord>(file).size() == 1);
  CHECK(all<contract::EvalRecord>(file)[0].epoch == kUnknownEpoch);
}

namespace {

/// Returns the times of the windows of a log, whose columns are `epoch`, `step`, `e` (elapsed_s)
/// and `a` (accuracy).
std::vector<double> clocked(const std::string& rows, const RowCounts& counts = {}) {
  auto format = format_of("csv", {"epoch=epoch", "step=step", "elapsed_s=e", "accuracy=a"});
  format.counts = counts;
  contract::RunSpec run = batches_of_16();
  run.dataset.train_samples = 160;
  std::vector<double> times;
  for (const StepWindow& window :
       all<StepWindow>(read_mapped("epoch,step,e,a\n" + rows, format, {}, run).file)) {
    times.push_back(window.wall_s);
  }
  return times;
}

}  // namespace

TEST_CASE("elapsed_s gives each row the time since the row before") {
  CHECK(clocked(",1,9,\n,2,11,\n,3,14,\n") == std::vector<double>{9, 2, 3});
  CHECK(clocked(",1,9,\n,2,11,\n,1,5,\n,2,6,\n") == std::vector<double>{9, 2, 5, 1});  // restart
  CHECK(clocked("0,,50,\n1,,90,\n2,,120,\n") == std::vector<double>{50, 40, 30});
  CHECK(clocked("0,,50,\n5,,90,\n6,,100,\n") == std::vector<double>{50, 10});
  // The time of the evaluation is part of the epoch, but not of the steps after it.
  CHECK(clocked("0,1,9,\n0,2,10,\n0,,30,0.5\n1,1,31,\n") == std::vector<double>{9, 1, 30, 1});
}

TEST_CASE("elapsed_s and the number of steps begin at the last row that was read") {
  CHECK(clocked(",10,9,\n,20,11,\n,30,x,\n,40,15,\n", {.counts_from = 1}) ==
        std::vector<double>{9, 2, 4});
  CHECK(clocked(",1,9,\n,2,11,\n,3,x,\n,4,15,\n,5,17,\n") == std::vector<double>{9, 2, 2});
  CHECK(clocked(",1,9,\n,2,9,\n,3,11,\n,4,12,\n") == std::vector<double>{9, 1});
}

namespace {

/// Format of epochs with a clock since the start of the program and a rate.
MappedFormat clock_and_rate() {
  return format_of("csv", {"epoch=epoch", "elapsed_s=e", "samples_per_s=rate"});
}

}  // namespace

TEST_CASE("a rate and a coarse clock do not give the samples of an epoch, which is reported") {
  // The second epoch takes 0.9 s, so its clock equals that of the first epoch.
  const auto file = read_rows("epoch,e,rate\n0,2,100\n1,2,200\n2,4,300\n", clock_and_rate());
  const auto windows = all<StepWindow>(file);
  REQUIRE(windows.size() == 3);
  for (const StepWindow& window : windows) CHECK(window.samples == windows[0].samples);
  CHECK(rate_of(windows[1]) == Approx(200));
  for (const EpochRecord& epoch : all<EpochRecord>(file)) CHECK(std::isnan(epoch.wall_s));
  REQUIRE(file.skipped.size() == 1);
  CHECK_THAT(file.skipped[0],
             Catch::StartsWith("line 2: elapsed_s has a resolution of 1 s, but the time since the "
                               "row before is 2 s. The number of samples cannot be computed") &&
                 Catch::Contains("count with their rate alone, with equal weights"));
  CHECK(contract::remarks_on(file) == file.skipped);
}

TEST_CASE("a fine clock and a rate give the samples of an epoch") {
  const auto file = read_rows("epoch,e,rate\n0,20.5,100\n1,40.5,200\n", clock_and_rate());
  const auto windows = all<StepWindow>(file);
  REQUIRE(windows.size() == 2);
  CHECK(windows[1].samples == 4000);
  CHECK(windows[1].wall_s == 20);
  CHECK(file.skipped.empty());
}

TEST_CASE("a known number of samples and the rate give the time of an epoch, whatever its clock") {
  contract::RunSpec run = batches_of_16();
  run.dataset.train_samples = 160;
  const std::string text = "epoch,e,rate\n0,2,80\n1,2,160\n2,52,80\n";
  const auto file = read_mapped(text, clock_and_rate(), {}, run).file;
  const auto windows = all<StepWindow>(file);
  REQUIRE(windows.size() == 3);
  for (const StepWindow& window : windows) CHECK(window.samples == 160);
  CHECK(windows[1].wall_s == 1);
  CHECK(all<EpochRecord>(file)[2].wall_s == 2);  // without the evaluation of 48 s
  CHECK(file.skipped.empty());
}

TEST_CASE("the key train_samples states the samples of an epoch, before the run and the log") {
  auto format = clock_and_rate();
  format.counts.train_samples = 320;
  contract::RunSpec run = batches_of_16();
  run.dataset.train_samples = 160;
  const auto windows = all<StepWindow>(read_mapped("epoch,e,rate\n0,2,80\n", format, {}, run).file);
  REQUIRE(windows.size() == 1);
  CHECK(windows[0].samples == 320);
  CHECK(windows[0].wall_s == 4);
}

TEST_CASE("the digits of a clock count in its unit, and steps with known samples are exact") {
  auto format = format_of("csv", {"step=step", "elapsed_s=e", "samples_per_s=rate"});
  const auto read = [&](const std::string& rows) {
    return read_rows("step,e,rate\n" + rows, format);
  };
  // 0.1 min are 6 s.
  const auto minutes = read("1,1.0 min,16\n2,1.5 min,16\n");
  REQUIRE(minutes.skipped.size() == 1);
  CHECK_THAT(minutes.skipped[0],
             Catch::Contains("a resolution of 6 s") && Catch::Contains("--set train_samples=N"));
  CHECK(read("1,1.00 min,16\n2,1.50 min,16\n").skipped.empty());
  format.counts.counts_from = 1;
  const auto counted = read("10,1,320\n30,1,320\n");
  CHECK(counted.skipped.empty());
  REQUIRE(all<StepWindow>(counted).size() == 2);
  CHECK(all<StepWindow>(counted)[1].samples == 320);
  CHECK(all<StepWindow>(counted)[1].wall_s == 1);
}

TEST_CASE("messages for the runs of a study name the key that keeps run ids") {
  contract::RunSpec run = batches_of_16();
  run.trainer.command = "train";
  const auto format = format_of("csv", {"epoch=epoch", "wall_s=t"});
  const auto file = read_mapped("epoch,t\n0,20\n", format, {}, run).file;
  REQUIRE(file.skipped.size() == 1);
  CHECK_THAT(file.skipped[0],
             Catch::Contains("add train_samples = N, the size of the training set, to "
                             "[trainer.read]") &&
                 Catch::Contains("in contrast to training.dataset.train_samples = N"));
}

namespace {

/// Patterns for lines such as "epoch 1 train loss 0.5 acc 0.71" and "epoch 1 test acc 0.65".
MappedFormat training_accuracies() {
  return {.kind = "pattern",
          .patterns = {R"(^epoch (?<epoch>\d+) train loss (?<loss>\S+) )"
                       R"(acc (?<train_accuracy>\S+ ?%?))",
                       R"(^epoch (?<epoch>\d+) test acc (?<accuracy>\S+))",
                       R"(^train acc (?<train_accuracy>\S+))"}};
}

}  // namespace

TEST_CASE("a training accuracy, as a fraction or in percent, is that of its epoch") {
  contract::RunSpec run = batches_of_16();
  run.dataset.train_samples = 200;
  const auto file = read_mapped(
                        "epoch 1 train loss 0.5 acc 0.71\nepoch 1 test acc 0.65\n"
                        "epoch 2 train loss 0.25 acc 80.5 %\nepoch 2 test acc 0.7\n",
                        training_accuracies(), {}, run)
                        .file;
  const auto epochs = all<EpochRecord>(file);
  REQUIRE(epochs.size() == 2);
  CHECK(epochs[0].correct == 142);
  CHECK(epochs[0].samples == 200);
  CHECK(epochs[0].train_loss == 0.5);
  CHECK(std::isnan(epochs[0].wall_s));
  CHECK(epochs[1].correct == 161);
  CHECK(epochs[1].epoch == 1);
  CHECK(all<contract::EvalRecord>(file)[1].metrics.empty());
  CHECK(file.skipped.empty());
}

TEST_CASE("a training accuracy of unknown samples is a metric of the evaluation, or reported") {
  const auto file = read_rows(
      "epoch 0 train loss 0.5 acc 0.71\nepoch 0 test acc 0.65\n"
      "epoch 1 train loss 0.4 acc 0.8\nepoch 1 train loss 0.4 acc 71\n",
      training_accuracies());
  const auto evals = all<contract::EvalRecord>(file);
  REQUIRE(evals.size() == 1);
  CHECK(evals[0].metrics == std::map<std::string, double>{{"train_accuracy", 0.71}});
  CHECK_FALSE(all<EpochRecord>(file)[0].correct);
  REQUIRE(file.skipped.size() == 2);
  CHECK_THAT(file.skipped[0], Catch::StartsWith("line 4: train_accuracy is 71, but it must not"));
  CHECK_THAT(file.skipped[1], Catch::StartsWith("line 3: train_accuracy is not recorded, because "
                                                "the number of samples in epoch 1 is unknown"));
}

TEST_CASE("a training accuracy without an epoch belongs to the epoch named before or after it") {
  contract::RunSpec run = batches_of_16();
  run.dataset.train_samples = 100;
  const auto correct_in = [&](const std::string& text) {
    std::vector<std::pair<int, std::int64_t>> found;
    for (const auto& epoch :
         all<EpochRecord>(read_mapped(text, training_accuracies(), {}, run).file)) {
      found.emplace_back(epoch.epoch, epoch.correct.value_or(-1));
    }
    return found;
  };
  using Found = std::vector<std::pair<int, std::int64_t>>;
  const std::string a = "train acc 0.5\n", b = "train acc 0.6\n";
  const std::string first = "epoch 1 test acc 0.1\n", second = "epoch 2 test acc 0.2\n";
  CHECK(correct_in(a + first + b + second) == Found{{0, 50}, {1, 60}});
  CHECK(correct_in(first + a + second + b) == Found{{0, 50}, {1, 60}});
  CHECK(correct_in(a + b).empty());
}

TEST_CASE("a training accuracy of single steps is reported") {
  const auto format = format_of("csv", {"step=step", "wall_s=t", "train_accuracy=a"});
  const auto file = read_rows("step,t,a\n1,2,0.1\n2,2,0.3\n", format);
  CHECK(all<StepWindow>(file).size() == 2);
  REQUIRE(file.skipped.size() == 1);
  CHECK_THAT(file.skipped[0], Catch::StartsWith("line 2: train_accuracy of single steps is not"));
}

TEST_CASE("the loss of an epoch is recorded without a time of the epoch") {
  const auto epochs = all<EpochRecord>(
      read_rows("epoch,loss\n0,2.5\n1,1.5\n", format_of("csv", {"epoch=epoch", "loss=loss"})));
  REQUIRE(epochs.size() == 2);
  CHECK(epochs[1].train_loss == 1.5);
  CHECK(std::isnan(epochs[1].wall_s));
}

TEST_CASE("times that rise like a clock are reported unless their field is elapsed_s") {
  const std::string text = "step,t\n1,10\n2,20\n3,30\n";
  const auto file = read_rows(text, format_of("csv", {"step=step", "wall_s=t"}));
  REQUIRE(file.skipped.size() == 1);
  CHECK_THAT(file.skipped[0], Catch::StartsWith("line 2: wall_s rises from line to line") &&
                                  Catch::Contains("use the field elapsed_s"));
  CHECK(read_rows(text, format_of("csv", {"step=step", "elapsed_s=t"})).skipped.empty());
  auto counted = format_of("csv", {"step=step", "wall_s=t"});
  counted.counts.counts_from = 1;  // the rows stand for 10, 20 and 40 steps
  CHECK(read_rows("step,t\n10,1\n30,2\n70,4\n", counted).skipped.empty());
}

TEST_CASE("csv: evaluations of a table without epochs have an unknown epoch") {
  const auto evals =
      all<contract::EvalRecord>(read_rows("a\n0.1\n0.2\n", format_of("csv", {"accuracy=a"})));
  REQUIRE(evals.size() == 2);
  CHECK(evals[1].epoch == kUnknownEpoch);
}

TEST_CASE("step numbers that rise by more than 1 are reported unless the rows state their steps") {
  const MappedFormat format{
      .kind = "pattern",
      .patterns = {R"(^step (?<step>\d+)(?: of (?<steps>\d+))?: (?<wall_s>\d+) s)"}};
  const auto file = read_rows("step 10: 5 s\nstep 20: 5 s\nstep 30: 5 s\n", format);
  REQUIRE(file.skipped.size() == 1);
  CHECK_THAT(file.skipped[0],
             Catch::StartsWith("line 2: the step number is 10 higher than in the row before") &&
                 Catch::Contains("right only if each row states the time of one step") &&
                 Catch::Contains("add counts_from = 1 to [trainer.read]"));
  REQUIRE(all<StepWindow>(file).size() == 3);
  CHECK(all<StepWindow>(file)[1].steps == 1);
  CHECK(contract::remarks_on(file) == file.skipped);  // no line was skipped
  CHECK(read_rows("step 10 of 10: 5 s\nstep 20 of 10: 5 s\n", format).skipped.empty());
}

TEST_CASE("the warning about rising step numbers states that reported rates are right") {
  for (const std::string measure : {"samples_per_s", "samples", "rank_samples"}) {
    auto format = format_of("csv", {"step=step", "wall_s=t"});
    format.columns.push_back(parse_mapping(measure + "=m"));
    const auto file = read_rows("step,t,m\n10,1,160\n20,1,160\n30,1,160\n", format);
    REQUIRE(file.skipped.size() == 1);
    CHECK_THAT(file.skipped[0], Catch::Contains("The throughput is right, because the rows state"));
    CHECK_THAT(file.skipped[0], !Catch::Contains("right only if"));
  }
}

TEST_CASE("counts_from gives each row the steps since the row before") {
  auto format = format_of("csv", {"step=step", "wall_s=t"});
  format.counts.counts_from = 1;
  const auto steps_in = [&](const std::string& rows) {
    const auto file = read_rows("step,t\n" + rows, format);
    CHECK(file.skipped.empty());
    std::vector<int> steps;
    for (const StepWindow& window : all<StepWindow>(file)) {
      steps.push_back(window.steps);
      CHECK(window.samples == 16 * window.steps);
    }
    return steps;
  };
  CHECK(steps_in("10,1\n20,1\n25,1\n") == std::vector<int>{10, 10, 5});
  CHECK(steps_in("1,1\n10,1\n20,1\n") == std::vector<int>{1, 9, 10});
  CHECK(steps_in("20,1\n40,1\n20,1\n40,1\n") == std::vector<int>{20, 20, 20, 20});
  CHECK(steps_in("200,1\n250,1\n200,1\n") == std::vector<int>{200, 50, 200});  // ends of epochs
  CHECK(steps_in("510,1\n520,1\n530,1\n") == std::vector<int>{10, 10, 10});    // resumed
  CHECK(steps_in("10,1\n20,1\n30,1\n20,1\n30,1\n40,1\n") ==
        std::vector<int>{10, 10, 10, 10, 10, 10});  // restarted at step 10
  format.counts.counts_from = 0;
  CHECK(steps_in("0,1\n10,1\n20,1\n") == std::vector<int>{1, 10, 10});
  CHECK(steps_in("9,1\n19,1\n29,1\n") == std::vector<int>{10, 10, 10});
}

TEST_CASE("counts_from applies to step numbers of epochs or of the run, and keeps stated steps") {
  auto format = format_of("csv", {"epoch=epoch", "step=step", "steps=n", "wall_s=t"});
  format.counts.counts_from = 1;
  const auto steps_in = [&](const std::string& rows) {
    std::vector<int> steps;
    for (const auto& window : all<StepWindow>(read_rows("epoch,step,n,t\n" + rows, format))) {
      steps.push_back(window.steps);
    }
    return steps;
  };
  CHECK(steps_in("0,50,,1\n0,60,,1\n1,50,,1\n1,60,,1\n") == std::vector<int>{50, 10, 50, 10});
  CHECK(steps_in("0,10,,1\n0,20,,1\n1,30,,1\n1,40,,1\n") == std::vector<int>{10, 10, 10, 10});
  CHECK(steps_in("0,10,7,1\n0,20,,1\n") == std::vector<int>{7, 10});
}

TEST_CASE("counts_from gives the row after a skipped row the steps since the skipped row") {
  auto format = format_of("csv", {"step=step", "wall_s=t"});
  format.counts.counts_from = 1;
  const auto steps_in = [&](const std::string& rows) {
    const auto file = read_rows("step,t\n" + rows, format);
    CHECK(file.skipped.size() == 1);
    std::vector<int> steps;
    for (const StepWindow& window : all<StepWindow>(file)) steps.push_back(window.steps);
    return steps;
  };
  CHECK(steps_in("10,1\n20,-1\n30,1\n40,1\n") == std::vector<int>{10, 10, 10});
  CHECK(steps_in("10,-1\n20,1\n25,1\n") == std::vector<int>{10, 5});
  CHECK(steps_in("10,1\n20,-1\n10,1\n20,1\n") == std::vector<int>{10, 10, 10});
  CHECK(steps_in("10,1\n2.5,1\n20,1\n") == std::vector<int>{10, 10});
}

TEST_CASE("counts_from gives a row after an unreadable line the steps of the rows around it") {
  auto format = format_of("csv", {"step=step", "wall_s=t"});
  format.counts.counts_from = 1;
  const auto steps_in = [&](const std::string& rows) {
    std::vector<int> steps;
    for (const auto& window : all<StepWindow>(read_rows("step,t\n" + rows, format))) {
      steps.push_back(window.steps);
    }
    return steps;
  };
  const auto read = [&](const std::string& rows) { return read_rows("step,t\n" + rows, format); };
  CHECK(steps_in("10,1\n20,x\n30,1\n40,1\n") == std::vector<int>{10, 10, 10});
  CHECK(steps_in("10,1\n20\n30,1\n40,1\n") == std::vector<int>{10, 10, 10});
  CHECK(steps_in("10,1\nx,x\n20,1\n30,1\n") == std::vector<int>{10, 10, 10});  // no row was lost
  CHECK(steps_in("10,1\n20,x\n25,1\n30,1\n") == std::vector<int>{10, 5});
  const auto file = read("10,1\n20,x\n25,1\n30,1\n");
  REQUIRE(file.skipped.size() == 2);
  CHECK_THAT(file.skipped[1], Catch::StartsWith("line 4: the number of steps in the time of this"));
}

TEST_CASE("counts_from gives the rows of ranks after skipped rows the steps since these rows") {
  auto format = format_of("csv", {"rank=rank", "step=step", "wall_s=t"});
  format.counts.counts_from = 1;
  contract::RunSpec run = batches_of_16();
  run.gpus = 2;
  const auto steps_in = [&](const std::string& rows) {
    std::vector<int> steps;
    for (const auto& window :
         all<StepWindow>(read_mapped("rank,step,t\n" + rows, format, {}, run).file)) {
      steps.push_back(window.steps);
    }
    return steps;
  };
  // Both ranks lack step 20.
  CHECK(steps_in("0,10,1\n1,10,1\n0,20,-1\n1,20,-1\n0,30,1\n1,30,1\n") == std::vector<int>{10, 10});
  // One rank has step 20.
  CHECK(steps_in("0,10,1\n1,10,1\n0,20,1\n1,20,-1\n0,30,1\n1,30,1\n") ==
        std::vector<int>{10, 10, 10});
  CHECK(steps_in("0,10,1\n1,10,1\n0,20,-1\n1,20,1\n0,30,1\n1,30,1\n") ==
        std::vector<int>{10, 10, 10});
}

TEST_CASE("counts_from counts the combined rows of ranks once") {
  contract::RunSpec run = batches_of_16();
  run.gpus = 2;
  auto format = format_of("csv", {"rank=rank", "step=step", "wall_s=t"});
  format.counts.counts_from = 1;
  const auto file =
      read_mapped("rank,step,t\n0,10,1\n1,10,2\n0,20,1\n1,20,2\n", format, {}, run).file;
  const auto windows = all<StepWindow>(file);
  REQUIRE(windows.size() == 2);
  CHECK(windows[1].steps == 10);
  CHECK(windows[1].samples == 160);
  CHECK(windows[1].wall_s == 2);
}

TEST_CASE("the key steps is the number of steps of each row that does not cover an epoch") {
  auto format = format_of("csv", {"epoch=epoch", "step=step", "steps=n", "wall_s=t"});
  format.counts.steps = 10;
  const auto file = read_rows("epoch,step,n,t\n0,10,,2\n0,15,5,1\n,,,2\n1,,,90\n", format);
  const auto windows = all<StepWindow>(file);
  REQUIRE(windows.size() == 3);
  CHECK(windows[0].steps == 10);
  CHECK(windows[0].samples == 160);
  CHECK(windows[1].steps == 5);
  CHECK(windows[2].steps == 10);
  REQUIRE(file.skipped.size() == 1);  // the size of the training set is unknown
  CHECK_THAT(file.skipped[0], Catch::StartsWith("line 5: the number of samples in epoch 1"));
}

TEST_CASE("the first warmup_rows rows with a time or a rate are warm-up") {
  auto format = format_of("csv", {"step=step", "wall_s=t", "accuracy=a", "warmup=w"});
  format.counts.warmup_rows = 2;
  const auto windows =
      all<StepWindow>(read_rows("step,t,a,w\n,,0.1,\n1,9,,1\n2,3,,\n3,1,,\n4,1,,1\n", format));
  REQUIRE(windows.size() == 4);
  CHECK(windows[0].warmup);
  CHECK(windows[1].warmup);
  CHECK_FALSE(windows[2].warmup);
  CHECK(windows[3].warmup);  // the row itself states this
}

TEST_CASE("a gap in step numbers that mostly rise by 1, and a new epoch, are not reported") {
  const auto format = format_of("csv", {"epoch=epoch", "step=step", "wall_s=t"});
  CHECK(read_rows("epoch,step,t\n0,1,5\n0,2,5\n0,5,5\n1,9,5\n", format).skipped.empty());
}

}  // namespace dlscale::analysis
