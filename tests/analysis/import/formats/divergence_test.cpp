// SPDX-License-Identifier: Apache-2.0
// Tests of non-finite losses. The lines keep their times, and the run is marked as diverged.
#include <catch2/catch.hpp>
#include <cmath>

#include <algorithm>

#include "analysis/import/reading/json_object.hpp"
#include "analysis/import/reading/loss_watch.hpp"
#include "tests/analysis/import/formats/log_reading.hpp"
#include "tests/analysis/import/formats/log_samples.hpp"

namespace dlscale::analysis {
namespace {

using contract::RunOutcome;
using contract::RunStop;
using contract::StepWindow;

struct LastLoss {
  const char* format;
  const char* finite;  ///< finite loss in the sample of the format
  const char* not_finite;
  const char* of = "training";
};

const LastLoss kLastLosses[] = {
    {"timm", "5.5 (5.75)", "nan (nan)"},
    {"torchvision", "loss: 5.8 (5.85)", "loss: nan (nan)"},
    {"tf_cnn_benchmarks", "\t7.25\n", "\tnan\n"},
    {"dllogger", "train.loss : 6.6 None train.total_ips", "train.loss : nan None train.total_ips"},
    {"torch7", "\"loss\":1.0", "\"loss\":nan"},
    {"lightning_csv", "0,99,1.5", "0,99,inf"},
    {"huggingface", "\"train_loss\": 2.0", "\"train_loss\": NaN"},
    {"pytorch_csv", "0.65,4.0\n", "0.65,nan\n"},
    {"mmdet", "\"loss\": 2.0", "\"loss\": NaN"},
    {"llmc", "s:1 trl:9.5", "s:1 trl:-nan"},
    {"deit", "\"train_loss\": 3.0", "\"train_loss\": Infinity"},
    {"gnmt", "7.8 (8.25)", "nan (nan)"},
    {"timm_summary", "1,1.25,", "1,nan,"},
    {"pytorch_ddp", "Average loss: 0.5000", "Average loss: nan", "test"},
    {"llmc", "s:2 tel:9.0", "s:2 tel:inf", "test"},
    {"timm_summary", "1.25,0.5", "1.25,nan", "test"},
};

const std::string& finite_text(const std::string& format) {
  for (const LogSample& sample : log_samples()) {
    if (sample.format == format) return sample.text;
  }
  throw base::UsageError("no sample of " + format);
}

RunStop stop_of(const LogContent& log) {
  const auto stops = all<RunStop>(log.file);
  REQUIRE(stops.size() == 1);
  return stops[0];
}

double timed_s(const LogContent& log) {
  double sum = 0;
  for (const auto& window : all<StepWindow>(log.file)) {
    if (!std::isnan(window.wall_s)) sum += window.wall_s;
  }
  return sum;
}

}  // namespace

TEST_CASE("a non-finite last loss keeps the times and marks the run as diverged") {
  for (const LastLoss& one : kLastLosses) {
    INFO(one.format << " " << one.not_finite);
    std::string text = finite_text(one.format);
    const std::size_t at = text.find(one.finite);
    REQUIRE(at != text.npos);
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
    const LogContent plain = read_log(one.format, text);
    text.replace(at, std::string(one.finite).size(), one.not_finite);
    CHECK(base::find(log_formats(), "log format", one.format).recognises(text));
    const LogContent log = read_log(one.format, text);
    CHECK(log.file.records.size() >= plain.file.records.size());
    CHECK(all<StepWindow>(log.file).size() == all<StepWindow>(plain.file).size());
    CHECK(timed_s(log) == Approx(timed_s(plain)));
    CHECK(log.file.skipped.empty());
    const RunStop stop = stop_of(log);
    CHECK(stop.outcome == RunOutcome::Diverged);
    CHECK(stop.exit_code == contract::kExitDiverged);
    const std::string why = std::string("the ") + one.of + " loss is not finite from line ";
    CHECK_THAT(stop.reason, Catch::StartsWith(why));
    CHECK(std::stoi(stop.reason.substr(why.size())) >= line);
  }
}

TEST_CASE("pipelines of DeepSpeed and progress bars of Horovod show divergence") {
  const LogContent pipe =
      read_log("deepspeed",
               "steps: 10 loss: 6.9000 iter time (s): 2.000 samples/sec: 32.000\n"
               "steps: 20 loss: nan iter time (s): 0.500 samples/sec: 128.000\n"
               "steps: 30 loss: nan iter time (s): 0.500 samples/sec: 128.000\n");
  CHECK(stop_of(pipe).reason == "the training loss is not finite from line 2 on");
  CHECK(all<StepWindow>(pipe.file).size() == 3);
  const LogContent bar = read_log(
      "horovod",
      "Train Epoch     #1: 100%|##########| 20/20 [00:10<00:00,  2.0it/s, loss=nan, accuracy=0]\n");
  CHECK(stop_of(bar).outcome == RunOutcome::Diverged);
  CHECK(all<StepWindow>(bar.file)[0].wall_s == 10);
}

TEST_CASE("a loss that becomes finite again is reported, and the run has not diverged") {
  const LogContent log = read_log("llmc", "s:0 trl:10.5\ns:1 trl:inf\ns:2 trl:9.5\n");
  CHECK(all<RunStop>(log.file).empty());
  CHECK(all<StepWindow>(log.file).size() == 3);
  CHECK(log.file.skipped ==
        std::vector<std::string>{"line 2: the training loss is not finite, but later losses are "
                                 "finite"});
}

TEST_CASE("a failure that the log records is kept") {
  contract::ResultsFile file;
  file.records.emplace_back(RunStop{.outcome = RunOutcome::Failed, .reason = "aborted"});
  file.record_lines.push_back(3);
  LossWatch losses;
  double loss = HUGE_VAL;
  losses.take_training(loss, 2);
  losses.conclude(file);
  CHECK(std::isnan(loss));
  CHECK(std::get<RunStop>(file.records[0]).reason == "aborted");
}

TEST_CASE("NaN in a Python object is a non-finite loss but not a number") {
  JsonObject object;
  REQUIRE(object.read(R"({"a": NaN, "b": "NaN, \" -Infinity", "c": [-Infinity, 1], "d": 2})"));
  CHECK_FALSE(object.number("a"));
  CHECK(std::isinf(object.loss("a")));
  CHECK(*object.text("b") == "NaN, \" -Infinity");
  CHECK(object.loss("d") == 2);
  CHECK(std::isnan(object.loss("e")));
  CHECK_FALSE(object.read(R"({"a": NaNo})"));
  CHECK_FALSE(object.read(R"({"a": NaN, )"));
}

}  // namespace dlscale::analysis
