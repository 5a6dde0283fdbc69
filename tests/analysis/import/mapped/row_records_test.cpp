// SPDX-License-Identifier: Apache-2.0
// Tests of values that rows do not state: samples and steps of epochs, and times of rates.
#include "analysis/import/mapped/row_records.hpp"

#include <catch2/catch.hpp>
#include <cmath>

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
  const std::string why = " is unknown: no rate (map samples or steps, or set train_samples)";
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
  CHECK(windows[1].epoch == 1);
  CHECK(windows[2].epoch == 2);
  CHECK(windows[2].steps == 100);
  CHECK(windows[2].samples == 1600);
  CHECK(all<contract::EvalRecord>(file)[2].epoch == 2);
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
