// SPDX-License-Identifier: Apache-2.0
// trainer_state.json of Hugging Face's Trainer (huggingface/transformers,
// TrainerState.save_to_json): JSON with a key a line, of which "log_history" is a list of what was
// logged.
//
// Its last entry has "train_runtime" and "train_samples_per_second" (trainer_utils.py,
// speed_metrics): samples of all ranks over the wall time of the whole training, in which start-up,
// waiting for data, evaluations and saving are. Entries before have no times. Read line by line, so
// that records have their line and a file cut off gives what it has.
#include <map>

#include "analysis/store/formats/collected_log.hpp"
#include "analysis/store/formats/text_scanner.hpp"

namespace dlscale::analysis {
namespace {

class Reader {
 public:
  explicit Reader(const contract::RunSpec& run) : log_(run, "huggingface") {}

  void take(const LogLine& line) {
    TextScanner s(line.text);
    s.skip_blanks();
    if (s.rest().starts_with("\"log_history\": [")) {
      in_history_ = true;
      ++histories_;
    } else if (in_history_ && s.rest().starts_with(']')) {
      in_history_ = false;
    } else if (s.rest().starts_with('{')) {
      values_.clear();
    } else if (s.rest().starts_with('}')) {
      if (in_history_) take_entry();
      values_.clear();
    } else if (s.skip("\"")) {
      take_value(line, s);
    }
  }
  LogContent finish() { return log_.finish(); }
  CollectedLog& log() { return log_; }

 private:
  void take_value(const LogLine& line, TextScanner s) {
    const std::string_view name = s.until("\"");
    double value = 0;
    if (!line.complete) return log_.cut_off();
    if (!s.skip("\": ") || !(name.ends_with("loss") ? s.loss(value) : s.number(value))) {
      return;  // text, true, null
    }
    if (in_history_ && values_.size() < 200) values_.emplace(name, value);
    if (in_history_) return;
    if (name == "num_train_epochs" && value >= 1 && value < 1e9) {
      log_.fact("epochs", std::llround(value));
    } else if (name == "global_step") {
      done_ = value;
    } else if (name == "max_steps" && value >= 1 && value == done_) {
      log_.lacks_end_line();  // a checkpoint of the last step: the whole training's times come
                              // later
    }
  }

  double value(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nan("") : found->second;
  }

  void take_entry() {
    if (histories_ > 1) return log_.skip_repeated();  // of another state behind it
    const double after = value("epoch");              // 1 after the first
    const double epoch = std::isfinite(after) ? std::max(std::ceil(after) - 1, 0.0) : 0;
    const auto number = epoch < 1e9 ? static_cast<std::int64_t>(epoch) : -1;
    if (values_.contains("train_runtime")) return take_whole(number);
    std::map<std::string, double> metrics;
    constexpr std::string_view kEval = "eval_";
    for (const auto& [name, one] : values_) {
      const bool is_quality = name.starts_with(kEval) && name != "eval_loss" &&
                              name != "eval_accuracy" && name != "eval_runtime" &&
                              !name.ends_with("_per_second") && std::isfinite(one);
      if (is_quality) metrics.emplace(name.substr(kEval.size()), one);
    }
    if (metrics.empty() && !values_.contains("eval_loss") && !values_.contains("eval_accuracy")) {
      return;
    }
    log_.add_eval(number, value("eval_accuracy"), value("eval_loss"), std::move(metrics),
                  value("eval_runtime"));
  }

  void take_whole(std::int64_t epoch) {
    const double wall_s = value("train_runtime");
    TimedSteps all{.epoch = epoch};
    const double steps = value("step");
    all.steps = steps >= 1 && steps <= 1e9 ? std::llround(steps) : 0;
    all.samples = value("train_samples_per_second") * wall_s;
    all.wall_s = wall_s;
    all.loss = value("train_loss");
    if (log_.add_steps(all)) log_.stop(contract::RunOutcome::Completed, "", wall_s);
  }

  CollectedLog log_;
  std::map<std::string, double, std::less<>> values_;  ///< of the entry under way
  double done_ = 0;                                    ///< optimizer steps
  int histories_ = 0;
  bool in_history_ = false;
};

bool recognises(std::string_view head) {
  return head.starts_with('{') && head.find("\n  \"log_history\": [") != std::string_view::npos &&
         head.find("\"global_step\": ") != std::string_view::npos;
}

LogContent read(std::string_view text, const contract::RunSpec& run) {
  return read_with<Reader>(text, run, {&recognises});
}

}  // namespace

extern const LogFormat huggingface_entry;
const LogFormat huggingface_entry{
    .name = "huggingface",
    .summary = "trainer_state.json of Hugging Face's Trainer",
    .rates =
        "of all ranks over the whole training: start-up, waiting for data, evaluations and saving "
        "are in it",
    .file = "",
    .needs_run = false,
    .recognises = &recognises,
    .read = &read,
    .tells_end = true,
};

}  // namespace dlscale::analysis
