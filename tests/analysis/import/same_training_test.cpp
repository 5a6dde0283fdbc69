// SPDX-License-Identifier: Apache-2.0
// Tests that logs of one training form one run, and that logs of unknown models do not share a
// curve.
#include "analysis/import/same_training.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "analysis/metrics/scaling/curve.hpp"
#include "tests/analysis/support/log_folder.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::LogFolder;
namespace fs = std::filesystem;

/// Folder of logs whose formats are recognised.
struct RecognisedLogs : LogFolder {
  RecognisedLogs() {
    request = {.logs = {logs()}};
    request.stated = {"gpus=1", "global_batch=64", "model=resnet50"};
  }
};

std::string loss_entry(int step) {
  return "    {\n      \"epoch\": " + std::to_string(step / 100.0) +
         ",\n      \"loss\": " + std::to_string(3.0 - step / 1000.0) +
         ",\n      \"step\": " + std::to_string(step) + "\n    }";
}

std::string eval_entry(int step) {
  return "    {\n      \"epoch\": " + std::to_string(step / 100.0) +
         ",\n      \"eval_accuracy\": " + std::to_string(0.5 + step / 1000.0) +
         ",\n      \"eval_loss\": 1.5,\n      \"step\": " + std::to_string(step) + "\n    }";
}

/// Returns the state of Hugging Face's Trainer after `steps` of 200 steps.
std::string trainer_state(int steps, bool is_finished, bool has_evaluations = true) {
  std::string history;
  for (int step = 50; step <= steps; step += 50) {
    history += loss_entry(step) + ",\n";
    if (has_evaluations) history += eval_entry(step) + ",\n";
  }
  history +=
      is_finished
          ? "    {\n      \"epoch\": 2.0,\n      \"step\": 200,\n      \"train_loss\": 2.9,\n"
            "      \"train_runtime\": 50.0,\n      \"train_samples_per_second\": 256.0,\n"
            "      \"train_steps_per_second\": 4.0\n    }\n"
          : "    {\n      \"epoch\": 0.01,\n      \"note\": 1\n    }\n";
  if (!is_finished) history.erase(history.rfind(",\n    {"));
  return "{\n  \"global_step\": " + std::to_string(steps) + ",\n  \"log_history\": [\n" + history +
         "\n  ],\n  \"max_steps\": 200,\n  \"num_train_epochs\": 2\n}\n";
}

std::string timm_log(double accuracy, double first_rate = 512.0) {
  const auto train = [&](int epoch, int step, double rate) {
    return "Train: " + std::to_string(epoch) + " [" + std::to_string(step) +
           "/100 (  1%)]  Loss: 6.9 (6.95)  Time: 0.125s, 512.0/s  (0.125s, " +
           std::to_string(rate) + "/s)  LR: 1.0e-01  Data: 0.01 (0.01)\n";
  };
  const std::string test = "Test: [   9/9]  Time: 0.1 (0.2)  Loss: 1.1 (1.25)  Acc@1: 70.0 (" +
                           std::to_string(accuracy) + ")  Acc@5: 90.0 (91.0)\n";
  return train(0, 0, first_rate) + train(0, 50, 500) + train(0, 99, 501) + test;
}

std::string timm_summary(double accuracy) {
  return "epoch,train_loss,eval_loss,eval_top1,eval_top5,lr\n0,6.95,1.25," +
         std::to_string(accuracy) + ",91.0,0.1\n";
}

std::vector<std::string> outcomes(const Frame& frame) {
  std::vector<std::string> outcomes;
  for (const RunRow& run : frame.runs) outcomes.push_back(run.outcome);
  return outcomes;
}

}  // namespace

TEST_CASE("a training and the checkpoints below its folder are one run, which names them") {
  RecognisedLogs logs;
  logs.write("out/trainer_state.json", trainer_state(200, true));
  logs.write("out/checkpoint-100/trainer_state.json", trainer_state(100, false));
  logs.write("out/checkpoint-200/trainer_state.json", trainer_state(200, false));
  const ImportSummary summary = logs.import();
  CHECK(summary.runs == 1);
  CHECK(summary.logs == 1);
  REQUIRE(summary.joined.size() == 2);
  CHECK(summary.joined[0] == logs.logs() + "/out/checkpoint-100/trainer_state.json: belongs to " +
                                 logs.logs() +
                                 "/out/trainer_state.json: a checkpoint of this "
                                 "training");
  ingest(logs.folder);
  CHECK(outcomes(read_frame(logs.folder)) == std::vector<std::string>{"Completed"});
}

TEST_CASE("checkpoints without evaluations are matched by the losses in their histories") {
  RecognisedLogs logs;
  logs.write("out/checkpoint-100/trainer_state.json", trainer_state(100, false, false));
  logs.write("out/trainer_state.json", trainer_state(200, true, false));
  CHECK(logs.import().runs == 1);
}

TEST_CASE("the last of several checkpoints without a training is the run") {
  RecognisedLogs logs;
  logs.write("out/checkpoint-100/trainer_state.json", trainer_state(100, false));
  logs.write("out/checkpoint-150/trainer_state.json", trainer_state(150, false));
  const ImportSummary summary = logs.import();
  CHECK(summary.runs == 1);
  REQUIRE(summary.joined.size() == 1);
  CHECK_THAT(summary.joined[0], Contains("checkpoint-100/trainer_state.json: belongs to"));
}

TEST_CASE("a checkpoint of another training in the same folder is a separate run") {
  RecognisedLogs logs;
  std::string other = trainer_state(100, false);
  other.replace(other.find("2.95"), 4, "2.55");
  logs.write("out/checkpoint-100/trainer_state.json", other);
  logs.write("out/trainer_state.json", trainer_state(200, true));
  CHECK(logs.import().runs == 2);
}

TEST_CASE("trainings with equal losses and different times are repetitions") {
  RecognisedLogs logs;
  std::string other = trainer_state(200, true);
  other.replace(other.find("50.0,"), 5, "51.0,");
  logs.write("a/trainer_state.json", trainer_state(200, true));
  logs.write("b/trainer_state.json", other);
  const ImportSummary summary = logs.import();
  CHECK(summary.runs == 2);
  CHECK(summary.joined.empty());
}

TEST_CASE("a log and its summary in one folder are one run, with the rates of the log") {
  RecognisedLogs logs;
  logs.write("run/summary.csv", timm_summary(71.2));
  logs.write("run/train.log", timm_log(71.2));
  const ImportSummary summary = logs.import();
  CHECK(summary.formats == std::map<std::string, int>{{"timm", 1}});
  REQUIRE(summary.joined.size() == 1);
  CHECK_THAT(summary.joined[0], Contains("summary.csv: belongs to"));
  CHECK_THAT(summary.joined[0], Contains("train.log: its summary"));
}

TEST_CASE("a summary with other evaluations than the log next to it is another training") {
  RecognisedLogs logs;
  logs.write("run/summary.csv", timm_summary(64.5));
  logs.write("run/train.log", timm_log(71.2));
  CHECK(logs.import().runs == 2);
}

TEST_CASE("each of several logs in one folder is compared with the summary") {
  RecognisedLogs logs;
  logs.write("run/summary.csv", timm_summary(71.2));
  logs.write("run/a.log", timm_log(70.5, 490.0));
  logs.write("run/b.log", timm_log(71.2));
  const ImportSummary summary = logs.import();
  CHECK(summary.runs == 2);
  REQUIRE(summary.joined.size() == 1);
  CHECK_THAT(summary.joined[0], Contains("b.log: its summary"));
}

TEST_CASE("a log and its summary in different folders are one run by their evaluations") {
  const auto log = [](double last, double first_rate = 512.0) {
    std::string text;
    for (const auto& [epoch, accuracy] :
         {std::pair(0, 10.125), std::pair(1, 20.5), std::pair(2, last)}) {
      std::string one = timm_log(accuracy, first_rate);
      for (std::size_t at = 0; (at = one.find("Train: 0", at)) != one.npos; ++at) {
        one.replace(at, 8, "Train: " + std::to_string(epoch));
      }
      text += one;
    }
    return text;
  };
  const auto summary_of = [](const std::vector<double>& accuracies) {
    std::string text = "epoch,train_loss,eval_loss,eval_top1,eval_top5,lr\n";
    for (std::size_t epoch = 0; epoch < accuracies.size(); ++epoch) {
      text +=
          std::to_string(epoch) + ",6.95,1.25," + std::to_string(accuracies[epoch]) + ",91.0,0.1\n";
    }
    return text;
  };
  RecognisedLogs logs;
  logs.write("logs/resnet50.log", log(30.75));
  logs.write("output/train/20240101/summary.csv", summary_of({10.125, 20.5, 30.75}));
  const ImportSummary summary = logs.import();
  CHECK(summary.runs == 1);
  REQUIRE(summary.joined.size() == 1);
  CHECK_THAT(summary.joined[0], Contains("resnet50.log: its summary"));
  CHECK(logs.import().joined == summary.joined);
  // A summary that is collected later is also compared. If it differs in one epoch, it belongs to
  // another training.
  logs.write("output/train/20240102/summary.csv", summary_of({10.125, 20.5, 31.75}));
  CHECK(logs.import().runs == 2);
  logs.write("logs/vit.log", log(31.75));
  CHECK(logs.import().runs == 2);
  // Two equal evaluations in longer trainings do not prove that the trainings are the same.
  const std::string other = log(40.0, 500.0);
  logs.write("logs/other.log", other.substr(0, other.find("Train: 2")));
  logs.write("output/train/20240103/summary.csv", summary_of({10.125, 20.5, 39.0}));
  CHECK(logs.import().runs == 4);
}

TEST_CASE("a copy of a log counts once and is reported") {
  RecognisedLogs logs;
  logs.write("a/train.log", timm_log(71.2));
  logs.write("copy/of/train.log", timm_log(71.2));
  const ImportSummary summary = logs.import();
  CHECK(summary.runs == 1);
  REQUIRE(summary.joined.size() == 1);
  CHECK_THAT(summary.joined[0], Contains("equal byte by byte"));
}

TEST_CASE("a copy whose path gives other axes is a run with a warning") {
  RecognisedLogs logs;
  logs.request.stated = {"global_batch=64", "model=resnet50"};
  logs.request.axes = {"gpus=g(\\d)/"};
  logs.write("g1/train.log", timm_log(71.2));
  logs.write("g2/train.log", timm_log(71.2));
  const ImportSummary summary = logs.import();
  CHECK(summary.runs == 2);
  REQUIRE(summary.warnings.size() == 1);
  CHECK_THAT(summary.warnings[0], Contains("are identical, byte by byte; both logs are imported"));
}

TEST_CASE("equal messages of failed runs give different runs") {
  LogFolder logs;
  logs.write_step("b16_g2/run1.csv");
  logs.write("b16_g2/run2.csv", "Segmentation fault\n");
  logs.write("b16_g2/run3.csv", "Segmentation fault\n");
  CHECK(logs.import().runs == 3);
}

TEST_CASE("a copy of the beginning of a log belongs to the complete log") {
  LogFolder logs;
  std::string text = "load,compute,rank,step\n";
  logs.request.mapped.columns.push_back({"step", "step"});
  for (int step = 0; step < 8; ++step) {
    const std::string number = std::to_string(step);
    text += "0.5" + number + ",1.0,0," + number + "\n0.5,1.5" + number + ",1," + number + "\n";
    if (step == 5) logs.write("old/b16_g2/run1.csv", text);
  }
  logs.write("b16_g2/run1.csv", text);
  const ImportSummary summary = logs.import();
  CHECK(summary.runs == 1);
  REQUIRE(summary.joined.size() == 1);
  CHECK_THAT(summary.joined[0], Contains("old/b16_g2/run1.csv: belongs to"));
  CHECK_THAT(summary.joined[0], Contains("the two logs have the same first entries"));
}

TEST_CASE("collecting again reports the same logs and changes nothing") {
  RecognisedLogs logs;
  logs.write("out/trainer_state.json", trainer_state(200, true));
  logs.write("out/checkpoint-100/trainer_state.json", trainer_state(100, false));
  const ImportSummary first = logs.import();
  const ImportSummary again = logs.import();
  CHECK(again.joined == first.joined);
  CHECK(again.unchanged == 1);
  CHECK(again.added + again.changed == 0);
  CHECK(again.runs == 1);
}

TEST_CASE("a checkpoint that is collected later belongs to the run of the folder") {
  RecognisedLogs logs;
  const std::string whole = logs.write("out/trainer_state.json", trainer_state(200, true));
  logs.request.logs = {whole};
  logs.import();
  logs.request.logs = {
      logs.write("out/checkpoint-100/trainer_state.json", trainer_state(100, false))};
  CHECK(logs.import().joined.size() == 1);
  ingest(logs.folder);
  CHECK(read_frame(logs.folder).runs.size() == 1);
}

TEST_CASE("a training that is collected after its checkpoint replaces the checkpoint") {
  RecognisedLogs logs;
  logs.request.logs = {
      logs.write("out/checkpoint-100/trainer_state.json", trainer_state(100, false))};
  logs.import();
  logs.request.logs = {logs.write("out/trainer_state.json", trainer_state(200, true))};
  const ImportSummary summary = logs.import();
  CHECK(summary.joined.size() == 1);
  ingest(logs.folder);
  CHECK(outcomes(read_frame(logs.folder)) == std::vector<std::string>{"Completed"});
}

TEST_CASE("a checkpoint becomes a run when its former log changes to another training") {
  RecognisedLogs logs;
  logs.write("out/trainer_state.json", trainer_state(200, true));
  logs.write("out/checkpoint-100/trainer_state.json", trainer_state(100, false));
  logs.import();
  std::string other = trainer_state(200, true);
  other.replace(other.find("2.95"), 4, "2.55");
  logs.write("out/trainer_state.json", other);
  const ImportSummary summary = logs.import();
  CHECK(summary.runs == 2);
  CHECK(summary.joined.empty());
}

TEST_CASE("logs of unknown models are not repetitions of each other, which is reported") {
  RecognisedLogs logs;
  logs.request.stated = {"gpus=1", "global_batch=64"};
  logs.write("a/train.log", timm_log(71.2));
  logs.write("b/train.log", timm_log(60.1, 490.0));
  const ImportSummary summary = logs.import();
  REQUIRE(summary.warnings.size() == 1);
  CHECK_THAT(summary.warnings[0], Contains("the model of 2 logs is unknown"));
  CHECK_THAT(summary.warnings[0], Contains("--set model=NAME"));
  ingest(logs.folder);
  const Frame frame = read_frame(logs.folder);
  REQUIRE(frame.runs.size() == 2);
  CHECK(frame.runs[0].repetition == 1);
  CHECK(frame.runs[1].repetition == 1);
  const std::set<std::string> logs_of_runs{frame.runs[0].point.at("unknown_model"),
                                           frame.runs[1].point.at("unknown_model")};
  CHECK(logs_of_runs == std::set<std::string>{"logs/a/train.log", "logs/b/train.log"});
  const CurveKeys keys(frame);
  CHECK(keys.of(frame.runs[0]) != keys.of(frame.runs[1]));
}

TEST_CASE("logs of an unknown model at several GPU counts form a curve once the model is stated") {
  LogFolder logs;
  logs.request.stated.clear();
  logs.write_step("b16_g2/run1.csv", 0.1);
  logs.write_step("b16_g4/run1.csv", 0.2);
  const Frame unknown = logs.collect();
  CHECK(CurveKeys(unknown).of(unknown.runs[0]) != CurveKeys(unknown).of(unknown.runs[1]));
  logs.request.stated = {"model=resnet50"};
  CHECK(logs.import().warnings.empty());
  ingest(logs.folder);
  const Frame known = read_frame(logs.folder);
  REQUIRE(known.runs.size() == 2);
  CHECK(CurveKeys(known).of(known.runs[0]) == CurveKeys(known).of(known.runs[1]));
}

TEST_CASE("rows of one table share a curve even without a stated model") {
  LogFolder logs;
  logs.request.stated.clear();
  logs.request.axes.clear();
  logs.request.mapped.columns = {{"gpus", "g"}, {"samples_per_s", "rate"}, {"repetition", "try"}};
  logs.request.logs = {logs.write("rates.csv", "g,try,rate\n1,1,98\n1,2,99\n2,1,185\n2,2,188\n")};
  CHECK(logs.import().warnings.empty());
  ingest(logs.folder);
  const Frame frame = read_frame(logs.folder);
  REQUIRE(frame.runs.size() == 4);
  for (const RunRow& run : frame.runs) {
    CHECK(CurveKeys(frame).of(run) == CurveKeys(frame).of(frame.runs[0]));
  }
}

TEST_CASE("a log that names its model has no axis for unknown models") {
  RecognisedLogs logs;
  logs.request.stated = {"gpus=1"};
  logs.write("a.log",
             "Model: ResNet50\nBatch size: 32\nNumber of GPUs: 2\n"
             "Iter #0: 200.0 img/sec per GPU\nIter #1: 200.0 img/sec per GPU\n"
             "Img/sec per GPU: 200.0 +-0.0\nTotal img/sec on 2 GPU(s): 400.0 +-0.0\n");
  const Frame frame = logs.collect();
  REQUIRE(frame.runs.size() == 1);
  CHECK_FALSE(frame.runs[0].point.contains("unknown_model"));
}

}  // namespace dlscale::analysis
