// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "analysis/import/reading/log_format.hpp"
#include "base/file.hpp"
#include "tests/support/records.hpp"
#include "tests/support/skip.hpp"

namespace dlscale::analysis {
namespace {

using contract::EpochRecord;
using contract::EvalRecord;
using contract::StepWindow;
using test::all;

contract::ResultsFile read_timm(const std::string& text, std::int64_t global_batch = 1024) {
  contract::RunSpec run{.run_id = "r", .gpus = 8};
  run.global_batch = global_batch;
  return base::find(log_formats(), "log format", "timm").read(text, run).file;
}

/// Returns a "Train:" line of an invented run with 200 images/s and one image per step.
std::string train(int epoch, int step, int steps, const char* unit = "s") {
  return fmt::format(
      "Train: {} [{:4}/{} (  0%)]  Loss:  6.5 (6.75)  Time: 0.005{}, 200.00/s  (0.005{},  "
      "200.00/s)  LR: 1.000e-02  Data: 0.001 (0.002)\n",
      epoch, step, steps, unit, unit);
}

}  // namespace

TEST_CASE("timm: two lines of an epoch bound a window, and the last line ends the epoch") {
  for (const char* unit : {"s", ""}) {
    const auto file =
        read_timm(train(0, 0, 11, unit) + train(0, 4, 11, unit) + train(0, 10, 11, unit), 1);
    const auto windows = all<StepWindow>(file);
    REQUIRE(windows.size() == 3);
    CHECK(windows[0].warmup);
    CHECK_FALSE(windows[1].warmup);
    CHECK(windows[1].first_step == 1);
    CHECK(windows[1].steps == 4);
    CHECK(windows[1].samples == 4);
    CHECK(windows[1].wall_s == Approx(4 / 200.0));
    CHECK(windows[1].parts[0].mean == Approx(4 * 0.002));
    CHECK(windows[1].lr == 0.01);
    const auto epochs = all<EpochRecord>(file);
    REQUIRE(epochs.size() == 1);
    CHECK(epochs[0].steps == 11);
    CHECK(epochs[0].wall_s == Approx(11 / 200.0));
    CHECK(epochs[0].train_loss == 6.75);
  }
}

TEST_CASE("timm: steps are counted over the run, and an interrupted epoch has no end") {
  const auto file = read_timm(train(0, 10, 11) + train(1, 0, 11) + train(1, 5, 11), 1);
  CHECK(all<StepWindow>(file).back().first_step == 12);
  CHECK(all<EpochRecord>(file).size() == 1);
}

TEST_CASE("timm: the mean of the last test line is the accuracy of the epoch, without the EMA") {
  const std::string test =
      "Test: [   0/48]  Time: 1.1 (1.1)  Loss:  6.8 (6.8)  Acc@1:  0.5 ( 0.5)  Acc@5: 4 ( 4)\n"
      "Test: [  48/48]  Time: 2.3 (0.16)  Loss:  6.7 (6.5)  Acc@1:  80.5 ( 76.25)  Acc@5: 8 ( 9)\n"
      "Test (EMA): [  48/48]  Time: 2.3 (0.1)  Loss:  6 (6)  Acc@1:  1 ( 1)  Acc@5: 8 ( 9)\n";
  const auto evals = all<EvalRecord>(read_timm(train(3, 10, 11) + test));
  REQUIRE(evals.size() == 1);
  CHECK(evals[0].epoch == 3);
  CHECK(evals[0].accuracy == Approx(0.7625));
  CHECK(evals[0].loss == 6.5);
}

TEST_CASE("timm: malformed lines of timm are reported, and other lines are ignored") {
  const auto file = read_timm("hello\nTrain: soon\n" + train(0, 12, 11) + "Test: [no]\n\xff\xfe\n");
  CHECK(file.skipped ==
        std::vector<std::string>{"line 2: the text after \"Train:\" is not a line of timm",
                                 "line 3: the text after \"Train:\" is not a line of timm",
                                 "line 4: the text after \"Test:\" is not a line of timm"});
  CHECK(all<StepWindow>(file).empty());
}

TEST_CASE("timm: a line that was cut within a number is ignored") {
  const std::string test =
      "Test: [  48/48]  Time: 2.3 (0.16)  Loss:  6.7 (6.5)  Acc@1:  86.08 ( 76.25)  Acc@5: 8 (9)\n";
  const std::string line = train(0, 10, 11);
  for (std::size_t size = 0; size + 1 < line.size(); ++size) {
    INFO(size);
    const auto file = read_timm(line.substr(0, size), 1);
    CHECK(all<StepWindow>(file).empty());
    CHECK(file.truncated == (size >= 7));  // longer than "Train: "
  }
  const std::size_t accuracy = test.find("( 7") + 3;
  const auto cut = read_timm(line + test.substr(0, accuracy));
  CHECK(all<EvalRecord>(cut).empty());
  CHECK(cut.truncated);
}

TEST_CASE("timm: impossible percentages and rates are reported") {
  const std::string test =
      "Test: [  48/48]  Time: 2.3 (0.16)  Loss:  6.7 (6.5)  Acc@1:  86.08 ( 176.25)  Acc@5: 8\n";
  std::string fast = train(0, 10, 11);
  fast.replace(fast.rfind("200.00/s"), 6, "2.0e12");
  CHECK_THAT(read_timm(fast).skipped.at(0), Catch::Contains("2e+12 samples/s is impossible"));
  const auto file = read_timm(train(0, 0, 11) + test, 1);
  CHECK(all<EvalRecord>(file).empty());
  CHECK(all<StepWindow>(file).size() == 1);
  CHECK(file.skipped ==
        std::vector<std::string>{"line 2: the accuracy is not between 0 and 100 %"});
}

TEST_CASE("timm: a carriage return ends a line without changing line numbers") {
  std::string text = train(0, 0, 11) + train(0, 10, 11) + train(1, 10, 11);
  text[text.find('\n', text.find('\n') + 1)] = '\r';
  const auto file = read_timm(text, 1);
  CHECK(all<StepWindow>(file).size() == 3);
  CHECK(all<EpochRecord>(file).size() == 2);
  CHECK(file.record_lines.back() == 2);
  CHECK(file.skipped.empty());
}

TEST_CASE("timm: an epoch repeated by a restarted job has the times of that job") {
  // The rate is 200 images/s before the restart and 100 images/s after it, with a slow first step.
  const auto line = [](int step, double time_s) {
    const double mean_s = time_s / (step + 1);
    return fmt::format(
        "Train: 1 [{:4}/20 (  0%)]  Loss:  6.5 (6.75)  Time: {:.6f}s, {:.6f}/s  ({:.6f}s, "
        "{:.6f}/s)  LR: 1.000e-02  Data: 0.001 ({:.6f})\n",
        step, mean_s, 1 / mean_s, mean_s, 1 / mean_s, mean_s / 4);
  };
  const std::string before = line(0, 0.005) + line(5, 0.03) + line(10, 0.055);
  const auto again = [&](int step) { return line(step, 0.5 + 0.01 * step); };
  for (const std::string& start :
       {std::string(), std::string("Model x created, param count:1\n")}) {
    const auto file =
        read_timm(before + start + again(0) + again(5) + again(10) + again(15) + again(19), 1);
    const auto windows = all<StepWindow>(file);
    REQUIRE(windows.size() == 5);
    CHECK(windows[3].steps == 5);
    CHECK(windows[3].wall_s == Approx(0.05).epsilon(1e-3));
    CHECK(windows[3].parts[0].mean == Approx(0.0125).epsilon(1e-3));
    CHECK(windows[4].wall_s == Approx(0.04).epsilon(1e-3));
    REQUIRE(all<EpochRecord>(file).size() == 1);
    CHECK(all<EpochRecord>(file)[0].wall_s == Approx(0.69).epsilon(1e-3));
    REQUIRE(file.skipped.size() == 1);
    CHECK_THAT(file.skipped[0], Catch::Contains("repeated entries in 3 lines are ignored"));
  }
}

TEST_CASE("timm: after an elastic restart an update has the images of the remaining ranks") {
  const auto line = [](int epoch, int step, int batch) {
    return fmt::format(
        "Train: {} [{:4}/20 (  0%)]  Loss:  6.5 (6.75)  Time: 0.500s, {}/s  (0.500s, {}/s)  LR: "
        "1.000e-02  Data: 0.001 (0.001)\n",
        epoch, step, 2 * batch, 2 * batch);
  };
  const auto file = read_timm(
      line(0, 0, 256) + line(0, 9, 256) + line(0, 0, 192) + line(0, 9, 192) + line(0, 19, 192),
      256);
  const auto windows = all<StepWindow>(file);
  REQUIRE(windows.size() == 3);
  CHECK(windows[2].samples == 1920);
  CHECK(windows[2].wall_s == Approx(5));
  CHECK(all<EpochRecord>(file)[0].samples == 20 * 192);
  CHECK_THAT(file.skipped.at(0), Catch::Contains("an update has 192 images"));
}

TEST_CASE("timm: the first step of a restarted process is warm-up") {
  const std::string start = "Model vit created, param count:86567656\n";
  const auto windows = all<StepWindow>(read_timm(
      start + train(0, 0, 11) + train(0, 10, 11) + start + train(1, 0, 11) + train(1, 10, 11), 1));
  REQUIRE(windows.size() == 4);
  CHECK(windows[0].warmup);
  CHECK_FALSE(windows[1].warmup);
  CHECK(windows[2].warmup);
  CHECK(windows[3].wall_s == Approx(10 / 200.0));
}

TEST_CASE("timm: a log is recognised by a complete line of timm") {
  const auto& timm = base::find(log_formats(), "log format", "timm");
  CHECK(timm.recognises("Training with a single process\n" + train(0, 0, 11)));
  CHECK_FALSE(timm.recognises("Train: soon\nTest: [no]\n"));
}

TEST_CASE("timm: the last update of an epoch may have fewer images") {
  const auto line = [](int step, const char* rate) {
    return fmt::format(
        "Train: 0 [{:4}/100 (  0%)]  Loss: 6.95 (6.95)  Time: 0.400s, {}/s  (0.400s, {}/s)  LR: "
        "1.000e-04  Data: 0.010 (0.010)\n",
        step, rate, rate);
  };
  const auto file = read_timm(line(0, "320.00") + line(50, "320.00") + line(99, "80.00"), 128);
  CHECK(all<EpochRecord>(file)[0].wall_s == Approx(40));
  CHECK(all<EpochRecord>(file)[0].samples == 99 * 128 + 32);
  CHECK(all<StepWindow>(file)[2].samples == 48 * 128 + 32);
  CHECK(all<StepWindow>(file)[2].wall_s == Approx(49 * 0.4));
  CHECK(file.skipped.empty());
}

TEST_CASE("timm: step times follow the log if another batch is stated") {
  const std::string text =
      "Train: 0 [   0/9 (  0%)]  Loss: 6.9 (6.9)  Time: 0.500s, 2048.00/s  (0.500s, 2048.00/s)  "
      "LR: 1.000e-04  Data: 0.010 (0.010)\n";
  const auto file = read_timm(text, 256);
  CHECK(all<StepWindow>(file)[0].wall_s == Approx(0.5));
  CHECK(all<StepWindow>(file)[0].samples == 1024);
  REQUIRE(file.skipped.size() == 1);
  CHECK(file.skipped[0] ==
        "line 1: an update has 1024 images (2048/s x 0.5 s), but the stated global batch is 256: "
        "step times are computed with the number from the log");
  CHECK(read_timm(text, 1024).skipped.empty());
}

TEST_CASE("timm: a published log of 300 epochs has its times and accuracies") {
  const char* data = std::getenv("DLSCALE_TEST_DATA");
  if (data == nullptr) {
    test::skip("DLSCALE_TEST_DATA names no folder of real logs");
    return;
  }
  const auto file =
      read_timm(base::read_file(std::string(data) + "/trainer-logs/timm/ViTAEv2_S.txt"));
  const auto epochs = all<EpochRecord>(file);
  REQUIRE(!epochs.empty());
  CHECK(file.skipped.empty());
  CHECK(epochs[0].steps == 1251);
  // timm itself measured 478.21 s. The mean rate of the last line gives the time of the steps.
  CHECK(epochs[0].wall_s == Approx(478.2).epsilon(0.001));
  const auto evals = all<EvalRecord>(file);
  CHECK(evals.size() == epochs.size());
  CHECK(evals[0].accuracy == Approx(0.00344));
}

}  // namespace dlscale::analysis
