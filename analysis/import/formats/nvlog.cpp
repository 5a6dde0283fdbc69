// SPDX-License-Identifier: Apache-2.0
// Reads the NVLOG lines of NCF that NVIDIA's DeepLearningExamples printed before DLLogger:
// ":::NVLOGv0.1.0 ncf 1583706916.78 (ncf.py:333) eval_accuracy: {"epoch": 0, "value": 0.83}".
// eval_accuracy is the hit rate among ten recommendations (HR@10) and not top-1 accuracy, so it is
// stored as a metric. train_throughput is ignored, because the clock of train_throughput stops
// before the device has finished (see dllogger.cpp).
#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/json_object.hpp"
#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::string_view kMark = ":::NVLOGv0.1.0 ncf ";

class NvlogLogReader {
 public:
  explicit NvlogLogReader(const contract::RunSpec& run) : log_(run, "nvlog") {}

  void read_line(const LogLine& line) {
    const std::size_t at = line.text.find(kMark);
    if (at == line.text.npos) return;
    if (!line.complete) return log_.cut_off();
    TextScanner s(line.text.substr(at + kMark.size()));
    double time = 0;
    if (!s.number(time) || !s.skip("(") || !s.find(") ")) {
      return log_.skip("no valid NVLOG line after the NVLOG mark");
    }
    const std::string_view key = s.until(":");
    s.skip(": ");
    take_value(key, s.rest());
  }
  LogContent finish() { return log_.finish(); }
  CollectedLog& log() { return log_; }

 private:
  void take_value(std::string_view key, std::string_view value) {
    double number = 0;
    if (key == "eval_accuracy") {
      take_eval(value);
    } else if (key == "args") {
      take_arguments(value);
    } else if (key == "input_size" && whole_number(value, number) && number >= 1 && number < 1e12) {
      log_.start().train_samples = std::llround(number);
    } else if (key == "train_throughput") {
      ++rates_;
      if (rates_ == 1) {
        log_.skip("the clock of train_throughput may stop before the device has finished: no rate");
      }
    } else if (key == "run_final") {
      log_.stop(contract::RunOutcome::Completed);
    }
  }

  void take_arguments(std::string_view value) {
    if (!json_.read(value)) return;
    log_.fact("model", "ncf");
    if (const auto epochs = json_.integer("epochs")) log_.fact("epochs", *epochs);
    if (const auto batch = json_.integer("batch_size")) log_.fact("global_batch", *batch);
  }

  void take_eval(std::string_view value) {
    const bool good = json_.read(value) && json_.integer("epoch") && json_.number("value");
    if (!good) return log_.skip("no epoch or no value after \"eval_accuracy\"");
    const double hits = *json_.number("value");
    if (!(hits >= 0 && hits <= 1)) return log_.skip("the hit rate is not between 0 and 1");
    if (log_.repeats(told_, {*json_.integer("epoch"), 0})) return;
    log_.add_eval(*json_.integer("epoch"), std::nan(""), std::nan(""), {{"hit_rate_10", hits}});
  }

  CollectedLog log_;
  JsonObject json_;
  RunPlace told_;
  int rates_ = 0;
};

bool recognises(std::string_view head) {
  return any_line(head, [](std::string_view line) { return line.find(kMark) != line.npos; });
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  return read_with<NvlogLogReader>(text, run, {&recognises});
}

}  // namespace

extern const LogFormat nvlog_entry;
const LogFormat nvlog_entry{
    .name = "nvlog",
    .summary = "NCF's :::NVLOG lines (NVIDIA DeepLearningExamples before DLLogger)",
    .rates =
        "There is no rate, because the clock of train_throughput stops before the device has "
        "finished.",
    .cross_check = "nothing is compared, because the run has no rate",
    .file = "",
    .needs_run = false,
    .recognises = &recognises,
    .read = &read_log,
    .tells_end = true,
};

}  // namespace dlscale::analysis
