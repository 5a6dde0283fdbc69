// SPDX-License-Identifier: Apache-2.0
// Reads the .log.json files of OpenMMLab's training programs (open-mmlab/mmcv before version 2,
// JsonLoggerHook in mmcv/runner/hooks/logger/text.py).
// The file has one JSON object per line. "time" is the mean wall time of a step of rank 0 since the
// previous line, and "data_time" is the part that waits for data. The file does not state the
// number of samples per step, so the user must state it. Steps after the last line of an epoch are
// not recorded.
// EpochBasedRunner (MMDetection, MMClassification) counts "iter" within the epoch, and
// IterBasedRunner (MMSegmentation, MMEditing) counts "iter" from the beginning of the run. The file
// does not name the runner. The first line of the second epoch shows which runner wrote the file:
// EpochBasedRunner restarts "iter", and IterBasedRunner continues it. IterBasedRunner resets its
// clock (IterTimerHook) only when it starts, so the step after an evaluation includes the time of
// the evaluation. A line with such a step is marked as warm-up.
// "val" lines state average precisions. Only "val" lines of MMClassification state an accuracy,
// "accuracy_top-1" in percent.
#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/json_object.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::string_view kTrain = R"({"mode": "train", "epoch": )";
constexpr std::string_view kVal = R"({"mode": "val", "epoch": )";

class MmdetLogReader {
 public:
  explicit MmdetLogReader(const contract::RunSpec& run) : log_(run, "mmdet") {}

  void read_line(const LogLine& line) {
    const std::size_t at = line.text.find(R"({"mode": )");
    if (at == std::string_view::npos) return;
    const std::string_view object = line.text.substr(at);
    const bool is_train = object.starts_with(kTrain), is_val = object.starts_with(kVal);
    if (!json_.read(object)) {
      return line.complete ? log_.skip("no JSON after \"mode\"") : log_.cut_off();
    }
    const auto epoch = json_.integer("epoch");
    if (!epoch || (!is_train && !is_val))
      return log_.skip("the line is neither a training line nor a validation line");
    is_train ? take_train(*epoch - 1, line.number) : take_val(*epoch - 1);  // epochs count from 1
  }
  LogContent finish() {
    if (!opened_) add_opening();
    return log_.finish();
  }
  CollectedLog& log() { return log_; }

 private:
  /// Content of a training line.
  struct TrainLine {
    RunPlace place;
    int line = 0;
    double step_s = 0, load_s = 0, lr = 0, loss = 0;
    bool is_behind_eval = false;
  };

  void take_train(std::int64_t epoch, int line) {
    const auto step = json_.integer("iter");
    const auto step_s = json_.number("time");
    if (!step || !step_s) return log_.skip("the line has no step number or no step time");
    at_ = {epoch, *step};
    const RunPlace before = told_;
    const bool is_behind_eval = std::exchange(is_behind_eval_, false);
    if (log_.repeats(told_, at_)) return;
    const TrainLine next{.place = at_,
                         .line = line,
                         .step_s = *step_s,
                         .load_s = json_.number("data_time").value_or(0),
                         .lr = json_.number("lr").value_or(std::nan("")),
                         .loss = json_.loss("loss"),
                         .is_behind_eval = is_behind_eval};
    if (!opened_) {
      opening_.push_back(next);
      if (opening_.size() == 3) add_opening();
    } else {
      add(next, steps_since(before, next.place));
      log_.at(line);
    }
  }

  std::int64_t steps_since(const RunPlace& before, const RunPlace& now) {
    if (now.epoch != before.epoch) counts_on_ = now.step > before.step;
    const bool goes_on = now.epoch == before.epoch || counts_on_;
    return goes_on ? now.step - before.step : now.step;
  }

  /// Adds the first lines of the file. Normally the first line covers all steps up to its step
  /// number. If this number exceeds the interval between the following lines, the run was resumed,
  /// and the first line covers only one interval. The last line of an epoch may cover fewer steps
  /// than the others, so three lines are needed to determine the interval.
  void add_opening() {
    opened_ = true;
    if (opening_.empty()) return;
    const std::int64_t first = opening_[0].place.step;
    std::int64_t steps = first;
    if (opening_.size() > 1) {
      const std::int64_t interval = opening_[1].place.step - first;
      const bool is_even = opening_.size() < 3
                               ? 2 * interval <= first
                               : opening_[2].place.step - opening_[1].place.step == interval;
      if (interval > 0 && interval < first && is_even) steps = interval;
    }
    add(opening_[0], steps);
    for (std::size_t i = 1; i < opening_.size(); ++i) {
      add(opening_[i], steps_since(opening_[i - 1].place, opening_[i].place));
    }
  }

  void add(const TrainLine& line, std::int64_t steps) {
    const double count = static_cast<double>(steps);
    TimedSteps window{.epoch = line.place.epoch, .steps = steps};
    window.samples = count * static_cast<double>(log_.global_batch());
    window.wall_s = count * line.step_s;
    window.load_s = count * line.load_s;
    window.lr = line.lr;
    window.loss = line.loss;
    window.warmup = log_.steps() == 0 || (counts_on_ && line.is_behind_eval);
    log_.at(line.line);
    log_.add_steps(window);
  }

  void take_val(std::int64_t epoch) {
    is_behind_eval_ = true;
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
  std::vector<TrainLine> opening_;  ///< first lines, until their numbers of steps are known
  bool opened_ = false;
  bool counts_on_ = false;       ///< true if "iter" continues across epochs
  bool is_behind_eval_ = false;  ///< true if the next training line follows a validation
  RunPlace at_;                  ///< position of the last training line, repeated lines included
  RunPlace told_;                ///< furthest position of a training line
  RunPlace validated_;           ///< position of the last validation
};

bool recognises(std::string_view head) {
  return any_line(head, [](std::string_view line) {
    return line.starts_with(kTrain) && line.find("\"iter\": ") != std::string_view::npos &&
           line.find("\"data_time\": ") != std::string_view::npos;
  });
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  return read_with<MmdetLogReader>(text, run, {&recognises});
}

}  // namespace

extern const LogFormat mmdet_entry;
const LogFormat mmdet_entry{
    .name = "mmdet",
    .summary =
        ".log.json of OpenMMLab's programs (MMDetection, MMClassification, MMSegmentation "
        "with mmcv 1)",
    .rates =
        "The rate is the global batch of the run divided by the step times of rank 0, which "
        "include waiting for data. The first line is marked as warm-up. The line after an "
        "evaluation is also marked if \"iter\" continues over epochs.",
    .cross_check =
        "nothing is compared, because the lines have step times, but neither a rate "
        "nor a total",
    .file = "",
    .needs_run = true,
    .recognises = &recognises,
    .read = &read_log,
};

}  // namespace dlscale::analysis
