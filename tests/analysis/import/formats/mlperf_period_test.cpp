// SPDX-License-Identifier: Apache-2.0
// Tests of the times at which training periods start and end in MLPerf logs, and of periods without
// a rate. The lines have the form of published results (mlcommons/training_results_v0.7 to v5.1),
// with round numbers.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>

#include "tests/analysis/import/formats/mlperf_text.hpp"

namespace dlscale::analysis {
namespace {

using contract::StepWindow;

}  // namespace

TEST_CASE("mlperf: an evaluation during the next block does not end the next block") {
  const LogContent log = read_log(
      "mlperf", head("gnmt", 100, 1000) +
                    line(10, "block_start", "null", R"("first_epoch_num": 1, "epoch_count": 1)") +
                    line(20, "block_start", "null", R"("first_epoch_num": 2, "epoch_count": 1)") +
                    line(21, "block_stop", "null", R"("first_epoch_num": 1, "epoch_count": 1)"));
  CHECK(samples_of(log).empty());
}

TEST_CASE("mlperf: evaluations after the training are not training") {
  std::string text = head("stable_diffusion", 512, 0);
  for (int block = 0; block < 5; ++block) {
    text += line(10 + 8 * block, "block_start", "null", step(100 * block)) +
            line(18 + 8 * block, "block_stop", "null", step(100 * block + 100));
  }
  text += line(50, "block_start", "null", step(500));  // the last 50 steps have no block_stop
  int time_s = 250;
  for (const int steps : {250, 500, 550}) {
    text += line(time_s, "eval_start", "null", step(steps)) +
            line(time_s + 78, "eval_stop", "null", step(steps));
    time_s += 139;
  }
  const LogContent log = read_log("mlperf", text + line(700, "run_stop", "null", kSuccess));
  CHECK(samples_of(log) == Samples{51200, 51200, 51200, 51200, 51200});
  CHECK(*rate_of(log) == Approx(6400));
  REQUIRE(log.file.skipped.size() == 1);
  CHECK_THAT(log.file.skipped[0], Catch::Contains("a block had not stopped"));
}

TEST_CASE("mlperf: the samples of a block without an end do not count with the next block") {
  const LogContent log = read_log(
      "mlperf",
      head("stable_diffusion", 512, 0) + line(10, "block_start", "null", step(0)) +
          line(18, "block_stop", "null", step(100)) + line(18, "block_start", "null", step(100)) +
          line(26, "block_start", "null", step(200)) + line(34, "block_stop", "null", step(300)) +
          line(34, "eval_start", "null", step(300)));
  CHECK(samples_of(log) == Samples{51200, 51200});
  CHECK(*rate_of(log) == Approx(6400));
  REQUIRE(log.file.skipped.size() == 1);
  CHECK_THAT(log.file.skipped[0], Catch::Contains("before the previous block stops"));
}

TEST_CASE("mlperf: a block start that two ranks write starts one block") {
  const LogContent log = read_log("mlperf", head("stable_diffusion", 512, 0) +
                                                line(10, "block_start", "null", step(0)) +
                                                line(10.006, "block_start", "null", step(0)) +
                                                line(18, "block_stop", "null", step(100)));
  CHECK(samples_of(log) == Samples{51200});
  CHECK(all<StepWindow>(log.file)[0].wall_s == Approx(8));
  REQUIRE(log.file.skipped.size() == 1);
  CHECK_THAT(log.file.skipped[0], Catch::Contains("another rank"));
}

TEST_CASE("mlperf: a BERT block that stops after its evaluation is the previous block") {
  std::string text = head("bert", 448, 0) + line(10, "epoch_start", "null", epoch(0)) +
                     line(10, "block_start", "null", first_epoch(0, 1));
  for (int block = 1; block <= 4; ++block) {
    const std::string sum = epoch(24640.0 * block);
    const int end_s = 8 + 18 * block;
    text += line(end_s, "eval_start", "null", sum) + line(end_s + 2, "eval_stop", "null", sum) +
            line(end_s + 2, "eval_accuracy", "0.5", sum) +
            line(end_s + 2, "block_stop", "null",
                 fmt::format(R"("first_epoch_num": {})", 24640 * block));
  }
  const LogContent log = read_log("mlperf", text + line(82, "run_stop", "null", kSuccess));
  CHECK(samples_of(log) == Samples{24640, 24640, 24640, 24640});
  CHECK(*rate_of(log) == Approx(1540));
  CHECK(log.file.skipped.empty());
}

TEST_CASE("mlperf: an evaluation that starts with its block does not end the block") {
  const auto block = [](int first, int begin_s) {
    return line(begin_s, "block_start", "null", first_epoch(first, 5)) +
           line(begin_s + 0.011, "eval_start", "null", epoch(first + 5)) +
           line(begin_s + 3, "eval_accuracy", "0.1", epoch(first)) +
           line(begin_s + 3, "eval_stop", "null", epoch(first)) +
           line(begin_s + 8, "block_stop", "null", first_epoch(first, 5));
  };
  const LogContent log =
      read_log("mlperf", head("ssd", 1024, 118287) + block(0, 10) + block(5, 18) + block(10, 26) +
                             line(34, "run_stop", "null", kSuccess));
  CHECK(samples_of(log) == Samples{591435, 591435, 591435});
  CHECK(*rate_of(log) == Approx(591435 / 8.0));
  CHECK(timed_by(log) == "blocks of epochs with evaluation");
  CHECK(log.file.skipped.empty());
}

TEST_CASE("mlperf: an evaluation at the end of its block ends the training of the block") {
  const auto block = [](int first, int begin_s, bool stops) {
    return line(begin_s, "block_start", "null", first_epoch(first, 1)) +
           line(begin_s + 10, "eval_start", "null", epoch(first)) +
           line(begin_s + 18, "eval_accuracy", "0.1", epoch(first)) +
           line(begin_s + 18, "eval_stop", "null", epoch(first)) +
           (stops ? line(begin_s + 18.02, "block_stop", "null", first_epoch(first, 1)) : "");
  };
  for (const bool stops : {true, false}) {
    const LogContent log =
        read_log("mlperf", head("gnmt", 100, 1000) + block(1, 10, stops) + block(2, 29, stops) +
                               block(3, 48, stops) + line(67, "run_stop", "null", kSuccess));
    CHECK(samples_of(log) == Samples{1000, 1000, 1000});
    CHECK(*rate_of(log) == Approx(100));
    CHECK(timed_by(log) == "blocks of epochs");
    CHECK(log.file.skipped.empty());
  }
}

TEST_CASE("mlperf: blocks that stop before their work is done have no rate") {
  const auto block = [](int first, int begin_s, double wall_s) {
    return line(begin_s, "block_start", "null", first_epoch(first, 1)) +
           line(begin_s + wall_s, "block_stop", "null", first_epoch(first, 1)) +
           line(begin_s + wall_s, "eval_start", "null", epoch(first + 1)) +
           line(begin_s + 12, "eval_stop", "null", epoch(first + 1));
  };
  const LogContent log = read_log(
      "mlperf", head("ssd", 2048, 1170301) + block(0, 10, 11) + block(1, 22, 0.003) +
                    block(2, 34, 0.044) + block(3, 46, 4) + line(58, "run_stop", "null", kSuccess));
  CHECK_FALSE(rate_of(log));
  CHECK(all<StepWindow>(log.file).size() == 4);  // the run keeps its steps
  REQUIRE(log.file.skipped.size() == 1);
  CHECK_THAT(log.file.skipped[0], Catch::Contains("ends in line 10 gives 3.90") &&
                                      Catch::Contains("The run has no rate"));
}

TEST_CASE("mlperf: training between the blocks instead of inside them has no rate") {
  const auto block = [](int first, int begin_s) {
    return line(begin_s, "block_start", "null", first_epoch(first, 1)) +
           line(begin_s + 1, "block_stop", "null", first_epoch(first, 1)) +
           line(begin_s + 15, "eval_start", "null", epoch(first)) +
           line(begin_s + 20, "eval_stop", "null", epoch(first));
  };
  const LogContent log =
      read_log("mlperf", head("maskrcnn", 256, 117266) + block(0, 10) + block(1, 30) +
                             block(2, 50) + line(70, "run_stop", "null", kSuccess));
  CHECK_FALSE(rate_of(log));
  REQUIRE(log.file.skipped.size() == 1);
  CHECK_THAT(log.file.skipped[0], Catch::Contains("neither training nor evaluation"));
}

TEST_CASE("mlperf: a block that starts several times has the time of its last start") {
  const LogContent log = read_log(
      "mlperf", head("resnet", 100, 1000) + line(10, "block_start", "null", first_epoch(1, 1)) +
                    line(20, "block_start", "null", first_epoch(1, 1)) +
                    line(30, "block_start", "null", first_epoch(1, 1)) +
                    line(40, "block_stop", "null", R"("first_epoch_num": 1)"));
  CHECK(samples_of(log) == Samples{1000});
  CHECK(all<StepWindow>(log.file)[0].wall_s == Approx(10));
  REQUIRE(log.file.skipped.size() == 2);
  CHECK_THAT(log.file.skipped[1], Catch::Contains("before the previous block stops"));
}

TEST_CASE("mlperf: an epoch that is cut by an evaluation of the previous epoch has no rate") {
  const auto epoch = [](int number, int begin_s, int end_s) {
    const std::string metadata = fmt::format(R"("epoch_num": {})", number);
    const std::string before = fmt::format(R"("epoch_num": {})", number - 1);
    std::string text = line(begin_s, "epoch_start", "null", metadata);
    if (number > 0) text += line(begin_s + 1, "eval_stop", "null", before);
    return text + line(end_s, "epoch_stop", "null", metadata);
  };
  const LogContent log = read_log(
      "mlperf", head("ssd", 288, 4064) + epoch(0, 10, 510) + line(510, "eval_start", "null") +
                    epoch(1, 510, 1010) + throughput(1010, 4064 * 288 / 500.0) +
                    line(1010, "eval_start", "null") + epoch(2, 1010, 1015) +
                    throughput(1015, 4064 * 288 / 500.0) +
                    line(1015, "run_stop", "null", R"("status": "success")"));
  CHECK(samples_of(log) == Samples{4064 * 288, 4064 * 288});
  CHECK(*rate_of(log) == Approx(4064 * 288 / 500.0));
  REQUIRE(log.file.skipped.size() == 1);
  CHECK_THAT(log.file.skipped[0], Catch::Contains("reached the target"));
}

TEST_CASE("mlperf: an earlier checkpoint may be evaluated after the training") {
  const LogContent log = read_log("mlperf", head("stable_diffusion", 256, 0) +
                                                line(10, "block_start", "null", count(0)) +
                                                line(20, "block_stop", "null", count(25600)) +
                                                line(20, "block_start", "null", count(25600)) +
                                                line(30, "block_stop", "null", count(51200)) +
                                                line(40, "eval_start", "null", count(25600)) +
                                                line(50, "eval_stop", "null", count(25600)) +
                                                line(50, "eval_start", "null", count(51200)));
  CHECK(samples_of(log) == Samples{25600, 25600});
  CHECK(*rate_of(log) == Approx(2560));
  CHECK(log.file.skipped.empty());
}

TEST_CASE("mlperf: an epoch that stops with another number than it started has no rate") {
  const LogContent log = read_log(
      "mlperf", head("resnet", 100, 1000) + line(10, "epoch_start", "null", R"("epoch_num": 1)") +
                    line(20, "epoch_stop", "null", R"("epoch_num": 7)"));
  CHECK(samples_of(log).empty());
  REQUIRE(log.file.skipped.size() == 1);
  CHECK_THAT(log.file.skipped[0], Catch::Contains("no rate for this time"));
}

}  // namespace dlscale::analysis
