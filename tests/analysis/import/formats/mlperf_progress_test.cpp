// SPDX-License-Identifier: Apache-2.0
// Tests of the units in which benchmarks and versions of MLPerf Training count progress: samples,
// blocks, parts of an epoch, batches. The lines have the form of published results
// (mlcommons/training_results_v0.6 to v5.1), with round numbers.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>

#include "tests/analysis/import/formats/mlperf_text.hpp"

namespace dlscale::analysis {
namespace {

using contract::StepWindow;

}  // namespace

TEST_CASE("mlperf: samples_count is the total since the start, and evaluations are excluded") {
  const LogContent log = read_log(
      "mlperf", head("llama2_70b_lora", 8, 3901) + line(10, "block_start", "null", count(0)) +
                    throughput(778, 2.0) + line(778, "block_stop", "null", count(1536)) +
                    line(778, "eval_start", "null", count(1536)) +
                    line(808, "eval_accuracy", "0.95", count(1536)) +
                    line(808, "eval_stop", "null", count(1536)) +
                    line(808, "block_start", "null", count(1536)) +
                    line(1000, "block_stop", "null", count(1920)) +
                    line(1000, "eval_start", "null", count(1920)) +
                    line(1030, "eval_accuracy", "0.95", count(1920)) +
                    line(1031, "run_stop", "null", R"("status": "success")"));
  CHECK(samples_of(log) == Samples{1536, 384});
  CHECK(*rate_of(log) == Approx(2));
  CHECK(all<StepWindow>(log.file)[1].steps == 48);
  CHECK(all<contract::EvalRecord>(log.file).size() == 2);  // at 1536 and 1920 samples
  CHECK(all<contract::EvalRecord>(log.file)[1].metrics.at("samples_count") == 1920);
  CHECK(all<contract::RunStart>(log.file)[0].environment.at("timed") == "blocks of samples");
  CHECK(log.file.skipped.empty());
}

TEST_CASE("mlperf: a block that repeats its number at its end has the samples of its evaluation") {
  const auto read = [](long start_1, long start_2) {
    return read_log("mlperf", head("flux1", 100, 0) +
                                  line(10, "block_start", "null", count(start_1)) +
                                  line(20, "block_stop", "null", count(start_1)) +
                                  line(20, "eval_start", "null", count(1000)) +
                                  line(25, "eval_stop", "null", count(1000)) +
                                  line(25, "block_start", "null", count(start_2)) +
                                  line(35, "block_stop", "null", count(start_2)) +
                                  line(35, "eval_start", "null", count(2500)));
  };
  // The value of block_start is the number of samples in the block.
  CHECK(samples_of(read(1000, 1500)) == Samples{1000, 1500});
  // The value of block_start is the number of samples before the block.
  CHECK(samples_of(read(0, 1000)) == Samples{1000, 1500});
  CHECK(*rate_of(read(0, 1000)) == Approx(150));
}

TEST_CASE("mlperf: a block without the samples of its end has no rate, which is reported") {
  const LogContent log = read_log(
      "mlperf", head("flux1", 100, 0) + line(10, "block_start", "null", count(0)) +
                    line(20, "block_stop", "null", count(0)) + line(20, "eval_start", "null"));
  CHECK(samples_of(log).empty());
  REQUIRE(log.file.skipped.size() == 1);
  CHECK_THAT(log.file.skipped[0], Catch::Contains("the log does not state how many samples"));
}

TEST_CASE("mlperf: samples before the resume of a run are not counted") {
  const LogContent log =
      read_log("mlperf", head("llama31_8b", 10, 0) + line(10, "block_start", "null", count(5000)) +
                             line(20, "block_stop", "null", count(6000)) +
                             line(20, "eval_start", "null", count(6000)));
  CHECK(samples_of(log) == Samples{1000});
}

TEST_CASE("mlperf: blocks that start with their number of steps are counted by their ends") {
  const LogContent log = read_log("mlperf", head("llama2_70b_lora", 8, 3901) +
                                                line(20, "block_stop", "null", count(1536)) +
                                                line(20, "eval_accuracy", "0.95", count(1536)) +
                                                line(20, "block_start", "null", count(192)) +
                                                line(30, "block_stop", "null", count(1920)));
  CHECK(samples_of(log) == Samples{384});
}

TEST_CASE("mlperf: BERT counts samples as epochs") {
  const LogContent log = read_log(
      "mlperf", head("bert", 100, 0) + line(10, "epoch_start", "null", R"("epoch_num": 0)") +
                    line(10, "block_start", "null", R"("first_epoch_num": 1, "epoch_count": 1)") +
                    line(20, "eval_start", "150000", R"("epoch_num": 150000)") +
                    line(25, "eval_accuracy", "0.5", R"("epoch_num": 150000)") +
                    line(25, "eval_stop", "150000", R"("epoch_num": 150000)") +
                    throughput(35, 10000) +  // the rate includes the evaluation
                    line(35, "eval_start", "300000", R"("epoch_num": 300000)") +
                    line(36, "eval_stop", "300000", R"("epoch_num": 300000)") +
                    line(36, "epoch_stop", "null", R"("epoch_num": 300000)") +
                    line(36, "train_samples", "300000"));
  CHECK(samples_of(log) == Samples{150000, 150000});
  CHECK(*rate_of(log) == Approx(15000));
  CHECK(all<contract::EvalRecord>(log.file)[0].epoch == 0);
  CHECK(log.file.skipped.empty());
}

TEST_CASE("mlperf: UNet3D counts the samples of a block as epochs") {
  const LogContent log = read_log(
      "mlperf",
      head("unet3d", 28, 168) +
          line(10, "block_start", "null", R"("first_epoch_num": 168, "epoch_count": 3360)") +
          throughput(26, 210) +
          line(26, "block_stop", "null", R"("first_epoch_num": 168, "epoch_count": 3360)") +
          line(26, "block_start", "null", R"("first_epoch_num": 3360, "epoch_count": 3360)") +
          line(38, "block_stop", "null", R"("first_epoch_num": 3360, "epoch_count": 3360)") +
          line(38, "eval_start", "6720", R"("epoch_num": 6720)") +
          line(39, "eval_accuracy", "0.5", R"("epoch_num": 6720)"));
  CHECK(samples_of(log) == Samples{3360, 3360});
  CHECK(*rate_of(log) == Approx(280));
  CHECK(all<contract::EvalRecord>(log.file)[0].epoch == 39);
  CHECK(log.file.skipped.empty());
}

TEST_CASE("mlperf: UNet3D states the samples of an epoch including repeated samples") {
  const auto block = [](int begin_s, int first, int stop) {
    return line(begin_s, "block_start", "null",
                fmt::format(R"("first_epoch_num": {}, "epoch_count": 14)", first)) +
           throughput(begin_s + 10, 336) +
           line(begin_s + 10, "block_stop", "null",
                fmt::format(R"("first_epoch_num": {}, "epoch_count": 14)", stop));
  };
  const LogContent log = read_log(
      "mlperf", head("unet3d", 80, 168) + line(10, "samples_per_epoch", "240") + block(10, 1, 14) +
                    block(20, 14, 28) + line(30, "eval_start", "null", R"("epoch_num": 28)"));
  CHECK(samples_of(log) == Samples{3360, 3360});
  CHECK(*rate_of(log) == Approx(336));
  CHECK(log.file.skipped.empty());
}

TEST_CASE("mlperf: Stable Diffusion counts steps in v3.1") {
  const LogContent log = read_log(
      "mlperf", head("stable_diffusion", 512, 6513144) +
                    line(10, "block_start", "null", "\"step_num\": 0") +
                    line(20, "block_stop", "null", "\"step_num\": 100") + throughput(20, 5120) +
                    line(20, "block_start", "null", "\"step_num\": 100") +
                    line(28, "block_stop", "null", "\"step_num\": 200"));
  CHECK(samples_of(log) == Samples{51200, 51200});
  CHECK(*rate_of(log) == Approx(6400));
  CHECK(log.file.skipped.empty());
}

TEST_CASE("mlperf: the start of a block states the samples of the previous block") {
  std::string text = head("stable_diffusion", 576, 0);
  for (int block = 0; block < 3; ++block) {
    text += line(10 + 20 * block, "block_start", "null", count(57600 * block)) +
            line(28 + 20 * block, "block_stop", "null", count(57600 * block));
  }
  const LogContent log = read_log("mlperf", text + line(90, "eval_start", "null", count(57600)) +
                                                line(99, "eval_stop", "null", count(57600)) +
                                                line(100, "eval_start", "null", count(115200)));
  CHECK(samples_of(log) == Samples{57600, 57600});  // the second evaluation uses earlier weights
  CHECK(*rate_of(log) == Approx(3200));
  REQUIRE(log.file.skipped.size() == 1);
  CHECK_THAT(log.file.skipped[0], Catch::Contains("how many samples the previous block has"));
}

TEST_CASE("mlperf: an evaluation states the samples of two blocks that state their lengths") {
  const LogContent log =
      read_log("mlperf", head("flux1", 100, 0) + line(10, "block_start", "null", count(1000)) +
                             line(20, "block_stop", "null", count(1000)) +
                             line(25, "block_start", "null", count(1000)) +
                             line(35, "block_stop", "null", count(1000)) +
                             line(36, "eval_start", "null", count(2000)));
  CHECK(samples_of(log) == Samples{2000});
  CHECK(all<StepWindow>(log.file)[0].wall_s == Approx(20));
}

TEST_CASE("mlperf: BERT blocks of several epochs have steps, and so may their evaluations") {
  const auto text = [](int number_of_eval) {
    return line(1, "global_batch_size", "3072") + line(1, "train_samples", "1751040") +
           line(10, "run_start", "null") + line(10, "block_start", "null", first_epoch(57, 57)) +
           line(90, "block_stop", "null", R"("first_epoch_num": 57)") +
           line(91, "eval_accuracy", "0.4", epoch(57.0 * number_of_eval)) +
           line(93, "block_start", "null", first_epoch(114, 57)) +
           line(173, "block_stop", "null", R"("first_epoch_num": 114)") +
           line(174, "eval_accuracy", "0.5", epoch(114.0 * number_of_eval)) +
           line(0, "submission_benchmark", "\"bert\"");  // TPU programs print this line at the end
  };
  for (const int number : {1, 3072}) {
    const LogContent log = read_log("mlperf", text(number));
    CHECK(samples_of(log) == Samples{57 * 3072, 57 * 3072});
    CHECK(*rate_of(log) == Approx(57 * 3072 / 80.0));
    CHECK(log.file.skipped.empty());
  }
}

TEST_CASE("mlperf: GPT-3 counts tokens, with max_sequence_length tokens per sample") {
  const LogContent log = read_log(
      "mlperf",
      line(1, "max_sequence_length", "2048") + head("gpt3", 64, 0) +
          line(10, "epoch_start", "null", R"("epoch_num": 0)") +
          line(10, "block_start", "null", R"("first_epoch_num": 0, "epoch_count": 2048000)") +
          line(20, "block_stop", "null", R"("first_epoch_num": 0, "epoch_count": 2048000)") +
          line(20, "eval_start", "null", R"("epoch_num": 2048000)"));
  CHECK(samples_of(log) == Samples{1000});
}

TEST_CASE("mlperf: benchmarks within their first epoch state the fraction of the epoch") {
  const LogContent log = read_log(
      "mlperf", head("dlrm_dcnv2", 100, 1000000) +
                    line(10, "epoch_start", "null", R"("epoch_num": 0)") +
                    line(20, "eval_start", "null", R"("epoch_num": 0.25)") +
                    line(30, "eval_stop", "null", R"("epoch_num": 0.25)") +
                    line(35, "eval_start", "null", R"("epoch_num": 0.5)") +
                    line(45, "eval_stop", "null", R"("epoch_num": 0.5)") +
                    line(45, "run_stop", "null", R"("status": "success", "epoch_num": 0.5)") +
                    throughput(45, 500000.0 / 35));  // rate of the run including evaluations
  CHECK(samples_of(log) == Samples{250000, 250000});
  CHECK(*rate_of(log) == Approx(50000));
  CHECK(log.file.skipped.empty());
}

TEST_CASE("mlperf: fractions of an epoch count from 1 if the first epoch is 1") {
  const LogContent log = read_log(
      "mlperf",
      head("dlrm", 100, 1000000) + line(10, "epoch_start", "null", epoch(1)) +
          line(20, "eval_start", "null", epoch(1.25)) + line(30, "eval_stop", "null", epoch(1.25)) +
          line(35, "eval_start", "null", epoch(1.5)) + line(45, "eval_stop", "null", epoch(1.5)) +
          line(45, "run_stop", "null", kSuccess));
  CHECK(samples_of(log) == Samples{250000, 250000});
  CHECK(*rate_of(log) == Approx(50000));
  CHECK(log.file.skipped.empty());
}

TEST_CASE("mlperf: DLRM blocks state the fraction of the epoch at their end") {
  const auto block = [](double end, int begin_s) {  // concurrent evaluation of the previous weights
    return line(begin_s, "block_start", "null", first_epoch(end, 1)) +
           line(begin_s, "eval_start", "null", epoch(end - 0.05)) +
           line(begin_s + 3, "eval_accuracy", "0.8", epoch(end - 0.05)) +
           line(begin_s + 3, "eval_stop", "null", epoch(end - 0.05)) +
           line(begin_s + 5, "block_stop", "null", fmt::format(R"("first_epoch_num": {})", end));
  };
  const LogContent log = read_log(
      "mlperf", head("dlrm", 100, 1000000) + line(10, "block_start", "null", first_epoch(1.05, 1)) +
                    line(20, "block_stop", "null", R"("first_epoch_num": 1.05)") + block(1.1, 20) +
                    block(1.15, 25) + line(30, "run_stop", "null", kSuccess));
  CHECK(samples_of(log) == Samples{50000, 50000, 50000});
  CHECK(*rate_of(log) == Approx(10000));
  CHECK(timed_by(log) == "blocks of samples with evaluation");
  CHECK(log.file.skipped.empty());
}

TEST_CASE("mlperf: a block may cover a fraction of an epoch") {
  const LogContent log = read_log(
      "mlperf",
      head("dlrm", 100, 1000000) +
          line(10, "block_start", "null", R"("first_epoch_num": 0, "epoch_count": 0.25)") +
          line(20, "block_stop", "null", R"("first_epoch_num": 0)") +
          line(20, "block_start", "null", R"("first_epoch_num": 0.25, "epoch_count": 0.25)") +
          line(25, "block_stop", "null", R"("first_epoch_num": 0.25)"));
  CHECK(samples_of(log) == Samples{250000, 250000});
  CHECK(*rate_of(log) == Approx(50000));
}

TEST_CASE("mlperf: DLRM with blocks numbered 1, 2, 3 has no rate") {
  std::string text = head("dlrm", 100, 1000000);
  for (int number = 1; number <= 3; ++number) {
    text += line(5 * number, "block_start", "null", first_epoch(number, 1)) +
            line(5 * number + 4, "block_stop", "null", first_epoch(number, 1));
  }
  const LogContent log = read_log("mlperf", text + line(20, "run_stop", "null", kSuccess));
  CHECK_FALSE(rate_of(log));
  REQUIRE(log.file.skipped.size() == 1);
  CHECK_THAT(log.file.skipped[0], Catch::Contains("DLRM trains about one epoch"));
}

TEST_CASE("mlperf: a block that starts within an epoch contradicts blocks of whole epochs") {
  const LogContent log = read_log(
      "mlperf", head("resnet", 100, 1000000) + line(10, "block_start", "null", first_epoch(1, 1)) +
                    line(20, "block_stop", "null", first_epoch(1, 1)) +
                    line(20, "block_start", "null", first_epoch(1.05, 1)) +
                    line(30, "block_stop", "null", first_epoch(1.05, 1)));
  CHECK_FALSE(rate_of(log));
  REQUIRE(log.file.skipped.size() == 1);
  CHECK_THAT(log.file.skipped[0], Catch::Contains("starts within an epoch"));
}

TEST_CASE("mlperf: a fraction of an epoch that rounding shortens counts with the next one") {
  std::string text = head("gnn", 100, 1000000) + line(10, "epoch_start", "null", epoch(1));
  const auto evaluation = [](double begin_s, double number) {
    return line(begin_s, "eval_start", "null", epoch(number)) +
           line(begin_s + 1, "eval_stop", "null", epoch(number));
  };
  text += evaluation(30, 0.25) + evaluation(51, 0.5) + evaluation(71, 0.74) + evaluation(92, 0.99) +
          evaluation(93.1, 1) + line(94.1, "epoch_stop", "null", epoch(1)) +
          line(94.1, "epoch_start", "null", epoch(2)) + evaluation(114, 1.25);
  const LogContent log = read_log("mlperf", text);
  CHECK(samples_of(log) == Samples{250000, 250000, 240000, 250000, 260000});
  CHECK(all<StepWindow>(log.file)[4].wall_s == Approx(20));
  CHECK(log.file.skipped.empty());
}

TEST_CASE("mlperf: if the samples of an epoch are unknown, the option that states them is named") {
  const LogContent log =
      read_log("mlperf", head("resnet", 100, 0) + line(10, "epoch_start", "null", epoch(1)) +
                             line(20, "epoch_stop", "null", epoch(1)));
  CHECK_FALSE(rate_of(log));
  REQUIRE(log.file.skipped.size() == 1);
  CHECK_THAT(log.file.skipped[0], Catch::Contains("--set train_samples=N"));
}

TEST_CASE("mlperf: a Transformer has no rate, and the reason is reported") {
  const LogContent log = read_log("mlperf", head("transformer", 512, 4590101) +
                                                line(10, "epoch_start", "null", epoch(1)) +
                                                line(20, "epoch_stop", "null", epoch(1)));
  CHECK_FALSE(rate_of(log));
  REQUIRE(log.file.skipped.size() == 1);
  CHECK_THAT(log.file.skipped[0], Catch::Contains("counts tokens"));
}

TEST_CASE("mlperf: SSD states batches per epoch and the rate of one accelerator or of all") {
  const auto text = [](double rate) {
    return head("ssd", 288, 4064) + line(10, "epoch_start", "0", R"("epoch_num": 0)") +
           line(510, "epoch_stop", "0", R"("epoch_num": 0)") +
           line(510, "epoch_start", "1", R"("epoch_num": 1)") +
           line(1010, "epoch_stop", "1", R"("epoch_num": 1)") + throughput(1010, rate);
  };
  const double all_rate = 4064 * 288 / 500.0;
  CHECK(*rate_of(read_log("mlperf", text(all_rate), run_of(8, 36))) == Approx(all_rate));
  CHECK(*rate_of(read_log("mlperf", text(all_rate / 8), run_of(8, 36))) == Approx(all_rate));
  CHECK_FALSE(rate_of(read_log("mlperf", text(all_rate / 3), run_of(8, 36))));
}

TEST_CASE("mlperf: an evaluation with other samples than the blocks removes the rate") {
  const LogContent log = read_log("mlperf", head("llama2_70b_lora", 8, 3901) +
                                                line(10, "block_start", "null", count(0)) +
                                                line(20, "block_stop", "null", count(1536)) +
                                                line(20, "eval_start", "null", count(3072)));
  CHECK_FALSE(rate_of(log));
  REQUIRE(log.file.skipped.size() == 1);
  CHECK_THAT(log.file.skipped[0],
             Catch::Contains("3072 samples") && Catch::Contains("1536 samples"));
}

TEST_CASE("mlperf: lines of v0.6 are read") {
  const LogContent log = read_log(
      "mlperf",
      "0: :::MLL 1558578404.333 submission_benchmark: {\"value\": \"resnet\", \"metadata\": "
      "{\"file\": \"a.py\", \"lineno\": 213}}\n"
      ":::MLL 1558578405.000 global_batch_size: {\"value\": 100, \"metadata\": {}}\n"
      ":::MLL 1558578406.000 run_start: {\"value\": null, \"metadata\": {\"lineno\": 1}}\n"
      ":::MLL 1558578406.000 train_samples: {\"value\": 1000, \"metadata\": {\"lineno\": 1}}\n"
      ":::MLL 1558578410.000 epoch_start: {\"value\": null, \"metadata\": {\"epoch_num\": 1}}\n"
      ":::MLL 1558578415.500 epoch_stop: {\"value\": null, \"metadata\": {\"epoch_num\": 1}}\n"
      ":::MLL 1558578416.000 eval_accuracy: {\"value\": 0.25, \"metadata\": {\"epoch_num\": 1}}\n"
      ":::MLL 1558578416.000 soon\n"
      ":::MLL 1558578417.000 run_stop: {\"value\": null, \"metadata\": {\"status\": "
      "\"success\"}}\n");
  CHECK(base::find(log_formats(), "log format", "mlperf")
            .recognises(":::MLL 1558578404.333 run_start: {\"value\": null}\n"));
  CHECK(samples_of(log) == Samples{1000});
  CHECK(all<StepWindow>(log.file)[0].wall_s == Approx(5.5));
  CHECK(all<contract::EvalRecord>(log.file)[0].accuracy == 0.25);
  CHECK(log.facts.at("model") == "resnet");
  CHECK(completed(log));
  CHECK(log.file.skipped ==
        std::vector<std::string>{"line 8: no valid MLPerf line follows the MLPerf mark"});
}

}  // namespace dlscale::analysis
