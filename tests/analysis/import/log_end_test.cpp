// SPDX-License-Identifier: Apache-2.0
// Tests of logs that end before the programs that write them have ended.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "analysis/import/import_record.hpp"
#include "tests/analysis/import/formats/log_samples.hpp"
#include "tests/analysis/support/log_folder.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using contract::RunOutcome;
using contract::RunStop;

contract::RunSpec four_ranks() {
  contract::RunSpec run{.run_id = "r"};
  run.gpus = 4;
  run.batch_per_gpu = 64;
  run.global_batch = 256;
  return run;
}

LogContent read_as(const std::string& format, std::string_view text) {
  const ImportRecord record{.format = format};
  return read_log(record, text, four_ranks());
}

bool tells_stop(const LogContent& content) {
  const auto& records = content.file.records;
  return std::any_of(records.begin(), records.end(), [](const contract::ResultRecord& record) {
    return std::holds_alternative<RunStop>(record);
  });
}

RunStop end_of_log(const std::string& format, std::string_view text) {
  LogContent content = read_as(format, text);
  complete_launch(content, four_ranks());
  return std::get<RunStop>(content.file.records.back());
}

/// Returns the longest beginning of a log that does not record the end of its run.
std::string_view without_end(const std::string& format, std::string_view text) {
  while (!text.empty() && tells_stop(read_as(format, text))) text.remove_suffix(1);
  return text;
}

bool has_measurement(const LogContent& content) {
  const auto& records = content.file.records;
  return !content.collectives.empty() ||
         std::any_of(records.begin(), records.end(), [](const contract::ResultRecord& record) {
           return std::holds_alternative<contract::StepWindow>(record) ||
                  std::holds_alternative<contract::EpochRecord>(record) ||
                  std::holds_alternative<contract::EvalRecord>(record);
         });
}

bool format_tells_end(const std::string& name) {
  return base::find(log_formats(), "log format", name).tells_end;
}

const std::string kSynthetic =
    "Model: resnet50\nBatch size: 32\nNumber of GPUs: 4\nIter #0: 100.0 img/sec per GPU\n";
const std::string kBars =
    "Train Epoch     #1: 100%|##########| 10/10 [00:10<00:00,  1.0it/s, loss=6.9, accuracy=0.4]\n";

}  // namespace

TEST_CASE("a log that was cut before its last line does not give a completed run") {
  std::set<std::string> lost;
  for (const LogSample& sample : log_samples()) {
    if (!format_tells_end(sample.format)) continue;
    INFO(sample.format);
    CHECK(end_of_log(sample.format, sample.text).outcome == RunOutcome::Completed);
    const std::string_view cut = without_end(sample.format, sample.text);
    REQUIRE_FALSE(cut.empty());
    const RunStop stop = end_of_log(sample.format, cut);
    CHECK(stop.outcome != RunOutcome::Completed);
    if (!has_measurement(read_as(sample.format, cut))) continue;  // the cut log has no measurement
    CHECK(stop.outcome == RunOutcome::Lost);
    CHECK_THAT(stop.reason, Contains("the log is incomplete"));
    lost.insert(sample.format);
  }
  CHECK(lost == std::set<std::string>{"dllogger", "gnmt", "horovod", "huggingface", "mlperf",
                                      "nccl_tests", "nvlog", "pytorch_ddp", "torchvision"});
}

TEST_CASE("results of dlscale-train without a run_stop do not give a completed run") {
  const std::string text = contract::to_json_line(contract::RunStart{.run_id = "r"}) + "\n" +
                           contract::to_json_line(contract::EpochRecord{.wall_s = 1}) + "\n";
  CHECK(end_of_log("dlscale", text).outcome == RunOutcome::Lost);
  const std::string stop = contract::to_json_line(RunStop{}) + "\n";
  CHECK(end_of_log("dlscale", text + stop).outcome == RunOutcome::Completed);
}

TEST_CASE("formats without a last line give completed runs if they have measurements") {
  int found = 0;
  for (const LogSample& sample : log_samples()) {
    const LogFormat& format = base::find(log_formats(), "log format", sample.format);
    if (format.tells_end || !format.of_training) continue;
    INFO(sample.format);
    const bool measures = has_measurement(read_as(sample.format, sample.text));
    if (!measures) continue;
    CHECK(end_of_log(sample.format, sample.text).outcome == RunOutcome::Completed);
    ++found;
  }
  CHECK(found >= 8);
}

TEST_CASE("the last line is expected only from programs that write it") {
  CHECK(end_of_log("horovod", kSynthetic).outcome == RunOutcome::Lost);
  CHECK(end_of_log("horovod", kBars).outcome == RunOutcome::Completed);
  const std::string tested = "Test:  Acc@1 10.300 Acc@5 30.500\n";
  CHECK(end_of_log("torchvision", tested).outcome == RunOutcome::Completed);
  const std::string step =
      R"(DLLL {"type": "LOG", "step": [0, 21], "data": {"train.total_ips": 100.0}})"
      "\n";
  const std::string whole =
      R"(DLLL {"type": "LOG", "step": [], "data": {"train.total_ips": 100.0}})"
      "\n";
  CHECK(end_of_log("dllogger", step).outcome == RunOutcome::Lost);
  CHECK(end_of_log("dllogger", step + whole).outcome == RunOutcome::Completed);
}

TEST_CASE("a Hugging Face checkpoint is complete if all steps were done") {
  const auto state = [](const std::string& steps) {
    return "{\n  \"global_step\": " + steps +
           ",\n  \"log_history\": [\n    {\n      \"epoch\": 1.0,\n      \"eval_loss\": 1.5,\n"
           "      \"step\": 100\n    }\n  ],\n  \"max_steps\": 200\n}\n";
  };
  CHECK(end_of_log("huggingface", state("100")).outcome == RunOutcome::Lost);
  CHECK(end_of_log("huggingface", state("200")).outcome == RunOutcome::Completed);
}

TEST_CASE("a run whose log was cut is collected, reported and has no throughput") {
  test::LogFolder logs;
  const std::string path = logs.write("synthetic.out", kSynthetic);
  logs.request = {.logs = {path}};
  for (const char* format : {"", "horovod"}) {
    logs.request.format = format;
    CHECK(logs.import().runs == 1);
    const IngestSummary summary = ingest(logs.folder, true);
    REQUIRE(summary.problems.size() == 1);
    CHECK_THAT(summary.problems[0], Contains(path + ": the log is incomplete"));
    const RunRow run = read_frame(logs.folder).runs.at(0);
    CHECK(run.outcome == "Lost");
    CHECK_FALSE(has_throughput(run));
  }
  logs.write("synthetic.out", kSynthetic + "Total img/sec on 4 GPU(s): 400.0 +-0.0\n");
  CHECK(has_throughput(logs.collect().runs.at(0)));
}

}  // namespace dlscale::analysis
