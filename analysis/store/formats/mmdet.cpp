// SPDX-License-Identifier: Apache-2.0
// The .log.json files of OpenMMLab's training programs (open-mmlab/mmcv, JsonLoggerHook in
// mmcv/runner/hooks/logger/text.py): one JSON object a line.
//
// "time" is the mean wall time of a step of rank 0 since the line before, of which "data_time" is
// waiting for data; the steps behind an epoch's last line are told nowhere. What a step's samples
// are stands in no line: the run's global batch. "val" lines have averages of precision and no
// accuracy, but for mmcls, whose "accuracy_top-1" is in percent.
#include <algorithm>

#include "analysis/store/formats/collected_log.hpp"
#include "analysis/store/formats/json_object.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::string_view kTrain = R"({"mode": "train", "epoch": )";
constexpr std::string_view kVal = R"({"mode": "val", "epoch": )";

class Reader {
 public:
  explicit Reader(const contract::RunSpec& run) : log_(run, "mmdet") {}

  void take(const LogLine& line) {
    const std::size_t at = line.text.find(R"({"mode": )");
    if (at == std::string_view::npos) return;
    const std::string_view object = line.text.substr(at);
    const bool is_train = object.starts_with(kTrain), is_val = object.starts_with(kVal);
    if (!json_.read(object)) {
      return line.complete ? log_.skip("no JSON after \"mode\"") : log_.cut_off();
    }
    const auto epoch = json_.integer("epoch");
    if (!epoch || (!is_train && !is_val)) return log_.skip("no line of training or validation");
    is_train ? take_train(*epoch - 1) : take_val(*epoch - 1);  // they count from 1
  }
  LogContent finish() { return log_.finish(); }
  CollectedLog& log() { return log_; }

 private:
  void take_train(std::int64_t epoch) {
    const auto step = json_.integer("iter");
    const auto step_s = json_.number("time");
    if (!step || !step_s) return log_.skip("no step and its time");
    at_ = {epoch, *step};
    const RunPlace before = told_;
    if (log_.repeats(told_, at_)) return;
    const std::int64_t steps = *step - (epoch == before.epoch ? before.step : 0);
    const double count = static_cast<double>(steps);
    TimedSteps window{.epoch = epoch, .steps = steps};
    window.samples = count * static_cast<double>(log_.global_batch());
    window.wall_s = count * *step_s;
    window.load_s = count * json_.number("data_time").value_or(0);
    window.lr = json_.number("lr").value_or(std::nan(""));
    window.loss = json_.loss("loss");
    window.warmup = log_.steps() == 0;
    log_.add_steps(window);
  }

  void take_val(std::int64_t epoch) {
    if (log_.repeats(validated_, std::max(at_, RunPlace{epoch, 0}))) return;
    std::map<std::string, double> metrics;
    double accuracy = std::nan("");
    json_.each_number("", [&](std::string_view key, double value) {
      if (key == "accuracy_top-1") {
        accuracy = value / 100;
      } else if (key != "epoch" && key != "iter" && key != "lr" && metrics.size() < 100) {
        metrics.emplace(key, value);
      }
    });
    log_.add_eval(epoch, accuracy, std::nan(""), std::move(metrics));
  }

  CollectedLog log_;
  JsonObject json_;
  RunPlace at_;         ///< the last line of training, told before or not
  RunPlace told_;       ///< the furthest of them
  RunPlace validated_;  ///< where the last validation was
};

bool recognises(std::string_view head) {
  return any_line(head, [](std::string_view line) {
    return line.starts_with(kTrain) && line.find("\"iter\": ") != std::string_view::npos &&
           line.find("\"data_time\": ") != std::string_view::npos;
  });
}

LogContent read(std::string_view text, const contract::RunSpec& run) {
  return read_with<Reader>(text, run, {&recognises});
}

}  // namespace

extern const LogFormat mmdet_entry;
const LogFormat mmdet_entry{
    .name = "mmdet",
    .summary = "OpenMMLab's .log.json (MMDetection, MMClassification with mmcv 1)",
    .rates =
        "rank 0's step times with the global batch the run tells, waiting for data included; the "
        "first line is marked as warm-up",
    .file = "",
    .needs_run = true,
    .recognises = &recognises,
    .read = &read,
};

}  // namespace dlscale::analysis
