// SPDX-License-Identifier: Apache-2.0
// Reads trainer_state.json of Hugging Face's Trainer (huggingface/transformers,
// TrainerState.save_to_json). It is a JSON file with one key per line. Its list "log_history"
// contains the logged entries.
// The last entry has "train_runtime", "train_samples_per_second" and "train_steps_per_second"
// (trainer_utils.py, speed_metrics). The runtime is the wall time of one call of train() and
// includes start-up, waiting for data, evaluations and saving. Earlier entries have no times. In
// three cases the numbers of the last entry are wrong:
// - Up to version 5.0, the samples and steps of a resumed training include all steps, although the
//   runtime covers only the steps since the resume (huggingface/optimum-graphcore#89).
// - If a training stops early, the rates are the planned samples and steps divided by the runtime.
// - After a resume, "train_loss" is the sum of the losses since the resume divided by the number of
//   all steps.
// The file does not state whether a training was resumed. The reader therefore compares the numbers
// of the file and omits the rate if the numbers contradict each other. In versions that do not
// write "train_steps_per_second", "train_samples_per_second" counts steps instead of samples.
// The file is read line by line, so that records have line numbers and the content of a truncated
// file is used.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {
namespace {

constexpr double kTolerance = 0.05;
/// Maximum error of a printed rate. The Trainer rounds rates to three decimal places.
constexpr double kRateResolution = 0.0005;

/// Entry that train() logs when it ends.
struct WholeTraining {
  int line = 0;
  std::int64_t epoch = 0;
  double steps = 0;  ///< optimizer steps since the beginning, including those before a resume
  double wall_s = 0, samples_per_s = 0, steps_per_s = 0, mean_loss = 0;
};

/// Returns true for the name of a number that describes the cost of an evaluation, such as its time
/// or memory, and not the quality of the model.
bool is_cost_of_evaluation(std::string_view name) {
  return name.ends_with("_runtime") || name.ends_with("_per_second") || name.ends_with("_time") ||
         name.find("_mem_") != std::string_view::npos;
}

class HuggingfaceLogReader {
 public:
  explicit HuggingfaceLogReader(const contract::RunSpec& run) : log_(run, "huggingface") {}

  void read_line(const LogLine& line) {
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
      if (in_history_) take_entry(line.number);
      values_.clear();
    } else if (s.skip("\"")) {
      take_value(line, s);
    }
  }
  LogContent finish() {
    if (whole_) add_whole(*whole_);
    return log_.finish();
  }
  CollectedLog& log() { return log_; }

 private:
  void take_value(const LogLine& line, TextScanner s) {
    const std::string_view name = s.until("\"");
    double value = 0;
    if (!line.complete) return log_.cut_off();
    if (!s.skip("\": ") || !(name.ends_with("loss") ? s.loss(value) : s.number(value))) {
      return;  // the value is a text, true or null
    }
    if (in_history_ && values_.size() < 200) values_.emplace(name, value);
    if (in_history_ && name == "train_samples_per_second") rate_line_ = line.number;
    if (in_history_) return;
    if (name == "num_train_epochs" && value >= 1 && value < 1e9) {
      log_.fact("epochs", std::llround(value));
    } else if (name == "global_step") {
      done_ = value;
    } else if (name == "train_batch_size" && value >= 1) {
      process_batch_ = value;
    } else if (name == "max_steps" && value >= 1 && value == done_) {
      log_.lacks_end_line();  // a checkpoint of the last step has no times
    }
  }

  double value(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nan("") : found->second;
  }

  void take_entry(int line) {
    if (histories_ > 1) return log_.skip_repeated();  // the file has several states
    note_content();
    const double after = value("epoch");  // "epoch" is 1 after the first epoch
    const double epoch = std::isfinite(after) ? std::max(std::ceil(after) - 1, 0.0) : 0;
    const auto number = epoch < 1e9 ? static_cast<std::int64_t>(epoch) : -1;
    if (values_.contains("train_runtime")) return take_whole(line, number);
    take_losses();
    std::map<std::string, double> metrics;
    constexpr std::string_view kEval = "eval_";
    for (const auto& [name, one] : values_) {
      const bool is_quality = name.starts_with(kEval) && name != "eval_loss" &&
                              name != "eval_accuracy" && !is_cost_of_evaluation(name) &&
                              std::isfinite(one);
      if (is_quality) metrics.emplace(name.substr(kEval.size()), one);
    }
    if (metrics.empty() && !values_.contains("eval_loss") && !values_.contains("eval_accuracy")) {
      return;
    }
    log_.add_eval(number, value("eval_accuracy"), value("eval_loss"), std::move(metrics),
                  value("eval_runtime"));
  }

  /// Adds the entry to LogContent::trail. A checkpoint contains the beginning of the history of a
  /// training, so the trail shows which training a checkpoint belongs to.
  void note_content() {
    std::string content;
    for (const auto& [name, one] : values_) content += fmt::format("{}={};", name, one);
    log_.note_content(content);
  }

  /// Sums up the losses and evaluation times of an entry, for comparison with the totals of
  /// train().
  void take_losses() {
    if (whole_) return;  // the entry was logged after the training
    const double step = value("step"), loss = value("loss");
    if (values_.contains("loss") && step > step_of_loss_) {
      const double before = sums_of_losses_.empty() ? 0 : sums_of_losses_.back();
      sums_of_losses_.push_back(before + loss * (step - step_of_loss_));
      step_of_loss_ = step;
    }
    for (const auto& [name, one] : values_) {
      if (name.starts_with("eval_") && name.ends_with("_runtime")) evaluations_s_ += one;
    }
  }

  void take_whole(int line, std::int64_t epoch) {
    if (whole_) {
      return log_.skip(
          fmt::format("the training ended at step {:.0f} and was resumed later: the steps after "
                      "the resume have no rate",
                      whole_->steps));
    }
    whole_ = WholeTraining{.line = rate_line_ > 0 ? rate_line_ : line, .epoch = epoch};
    const double steps = value("step");
    whole_->steps = steps >= 1 && steps <= 1e9 ? std::round(steps) : 0;
    whole_->wall_s = value("train_runtime");
    whole_->samples_per_s = value("train_samples_per_second");
    whole_->steps_per_s = value("train_steps_per_second");
    whole_->mean_loss = value("train_loss");
  }

  /// Returns why the runtime does not cover all steps, or an empty text if the numbers are
  /// consistent.
  std::string span_problem(const WholeTraining& all) const {
    const double reported = all.steps_per_s * all.wall_s;  // NaN if not printed
    const double allowed = kTolerance * all.steps + kRateResolution * all.wall_s;
    if (reported > all.steps + allowed) {
      return fmt::format(
          "train_steps_per_second divides {:.0f} steps by the runtime, but the training stopped "
          "after {:.0f} steps",
          reported, all.steps);
    }
    if (reported < all.steps - allowed) {
      return fmt::format(
          "the training seems to have been resumed: train_steps_per_second counts only {:.0f} of "
          "all {:.0f} steps",
          reported, all.steps);
    }
    if (lacks_first_losses(all)) {
      return fmt::format(
          "the training seems to have been resumed: train_loss is {:.4g} over {:.0f} steps, but "
          "the mean of the losses that were logged up to step {:.0f} is {:.4g}, so train_runtime "
          "covers only the steps since the resume",
          all.mean_loss, all.steps, step_of_loss_, sums_of_losses_.back() / step_of_loss_);
    }
    if (evaluations_s_ > all.wall_s * (1 + kTolerance)) {
      return fmt::format(
          "the training seems to have been resumed: its evaluations took {:.4g} s, but "
          "train_runtime is {:.4g} s",
          evaluations_s_, all.wall_s);
    }
    return "";
  }

  /// Returns true if train_loss excludes the losses before a resume. A resume is likely if a large
  /// part of the logged losses is missing in train_loss. A small missing part indicates a resume
  /// only if it equals the sum of the losses up to a logged step, because checkpoints are saved at
  /// such steps.
  bool lacks_first_losses(const WholeTraining& all) const {
    if (sums_of_losses_.empty() || !(sums_of_losses_.back() > 0)) return false;
    const double sum = sums_of_losses_.back();
    const double missing = (sum - all.mean_loss * all.steps) / sum;
    if (!(missing > kTolerance)) return false;
    return missing > 4 * kTolerance || std::ranges::any_of(sums_of_losses_, [&](double up_to_step) {
             return std::abs(up_to_step / sum - missing) < kTolerance / 5;
           });
  }

  void add_whole(const WholeTraining& all) {
    log_.at(all.line);
    const double steps = all.steps;
    TimedSteps window{.epoch = all.epoch, .steps = std::llround(steps)};
    window.wall_s = all.wall_s;
    window.samples = all.samples_per_s * all.wall_s;
    window.loss = all.mean_loss;
    const std::string span = span_problem(all);
    const std::string why = span.empty() ? samples_problem(all, window.samples) : span;
    if (!why.empty()) {
      log_.skip(why + ", so the run has no rate");
      add_without_rate(all, span.empty());
    } else {
      log_.add_steps(window) ? compare_samples(all) : add_without_rate(all, true);
    }
    log_.stop(contract::RunOutcome::Completed, "", all.wall_s);
  }

  /// Corrects `samples` for versions whose train_samples_per_second counts steps. Returns the
  /// reason if the number of samples is unknown, or an empty text.
  std::string samples_problem(const WholeTraining& all, double& samples) const {
    const bool counts_steps =
        std::isnan(all.steps_per_s) && std::abs(samples - all.steps) <= kTolerance * all.steps;
    if (!counts_steps) return "";
    if (!log_.knows_batch()) {
      return "train_samples_per_second counts steps in this version, and the number of samples per "
             "step is unknown (give it with --set global_batch=N)";
    }
    samples = all.steps * static_cast<double>(log_.global_batch());
    return "";
  }

  /// Compares the number of samples with the number of steps. The last step of an epoch may have
  /// fewer samples than the others. With gradient accumulation the last step may be skipped.
  void compare_samples(const WholeTraining& all) {
    const auto compare = [&](const std::string& name, double batch, PrintedSpan span) {
      PrintedFigure figure{.name = name, .value = all.steps * batch};
      figure.quantity = PrintedQuantity::samples;
      figure.span = span;
      figure.resolution = (static_cast<double>(all.epoch) + 1) * batch;
      log_.compare(figure);
    };
    if (log_.knows_batch()) {
      const auto batch = static_cast<double>(log_.global_batch());
      compare(fmt::format("global_step with the global batch {:.0f}", batch), batch,
              PrintedSpan::same);
    }
    if (process_batch_ > 0) {  // the batch without gradient accumulation is a lower bound
      compare(fmt::format("train_batch_size of {:.0f}", process_batch_), process_batch_,
              PrintedSpan::shorter);
    }
  }

  void add_without_rate(const WholeTraining& all, bool knows_loss) {
    if (all.steps < 1 || all.epoch < 0) return;
    contract::StepWindow window{.epoch = static_cast<int>(all.epoch), .time = std::nan("")};
    window.steps = static_cast<int>(all.steps);
    window.wall_s = window.lr = window.train_loss = std::nan("");
    if (knows_loss) window.train_loss = all.mean_loss;
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    window.parts.fill({kNone, kNone, kNone, kNone});
    log_.add(window);
  }

  CollectedLog log_;
  std::map<std::string, double, std::less<>> values_;  ///< values of the current entry
  std::optional<WholeTraining> whole_;
  std::vector<double> sums_of_losses_;  ///< running sum of each loss times its steps
  double step_of_loss_ = 0;
  double evaluations_s_ = 0;  ///< seconds of evaluations during the training
  double process_batch_ = 0;  ///< batch of one process; 0: not written
  double done_ = 0;           ///< number of optimizer steps
  int rate_line_ = 0;         ///< line of the last train_samples_per_second
  int histories_ = 0;
  bool in_history_ = false;
};

bool recognises(std::string_view head) {
  return head.starts_with('{') && head.find("\n  \"log_history\": [") != std::string_view::npos &&
         head.find("\"global_step\": ") != std::string_view::npos;
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  return read_with<HuggingfaceLogReader>(text, run, {&recognises});
}

}  // namespace

extern const LogFormat huggingface_entry;
const LogFormat huggingface_entry{
    .name = "huggingface",
    .summary = "trainer_state.json of Hugging Face's Trainer",
    .rates =
        "The rate is for all ranks over the whole training. It includes start-up, waiting for "
        "data, evaluations and saving. There is no rate if the training was resumed or stopped "
        "early.",
    .cross_check =
        "train_samples_per_second is compared with the steps and the global batch (at least "
        "train_batch_size). train_steps_per_second, train_loss and the times of evaluations are "
        "compared with the steps.",
    .file = "",
    .needs_run = false,
    .recognises = &recognises,
    .read = &read_log,
    .tells_end = true,
};

}  // namespace dlscale::analysis
