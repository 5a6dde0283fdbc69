// SPDX-License-Identifier: Apache-2.0
// Reads the standard output of torchvision's references/classification/train.py (pytorch/vision).
// The reader interprets the printed values as follows:
// - "img/s" (train_one_epoch) is ignored. This value is the rate of one rank in the last step only,
//   and the clock of this rate starts when the batch is available.
// - "time" (utils.MetricLogger.log_every) is the mean time of the last 20 steps, including waiting
//   for data. "data" is the mean time of waiting for data in these steps.
// - "Epoch: [n] Total time" is the time of all steps of an epoch in whole seconds. The rates are
//   computed from this time.
// - Accuracies cover the whole test set. The sampler repeats samples if the number of ranks does
//   not divide the size of the set. Lines about the averaged model (EMA) are ignored.
#include <optional>

#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {
namespace {

struct Progress {
  std::int64_t epoch = 0, step = 0, steps = 0;
  double lr = std::nan(""), loss = std::nan(""), data_s = 0;
};

/// Reads "Epoch: [0]  [10/5004]  eta: …  lr: 0.1  img/s: 412.3  loss: 6.9 (6.95)  acc1: …  time:
/// 0.48  data: 0.01  max mem: 4321". The first of two values covers the recent steps, and the value
/// in parentheses covers the epoch.
std::optional<Progress> read_progress(std::string_view text) {
  Progress line;
  TextScanner scanner(text);
  const bool good = scanner.skip("[") && scanner.integer(line.epoch) && scanner.skip("]") &&
                    scanner.skip("[") && scanner.integer(line.step) && scanner.skip("/") &&
                    scanner.integer(line.steps) && scanner.skip("]") && scanner.find("lr: ") &&
                    scanner.number(line.lr) && scanner.find("img/s: ") && scanner.find("loss: ");
  double last = 0;
  if (!good || line.epoch < 0 || line.step < 0 || line.step >= line.steps) return std::nullopt;
  const bool counted = scanner.loss(last) && scanner.skip("(") && scanner.loss(line.loss) &&
                       scanner.find("data: ") && scanner.number(line.data_s);
  return counted ? std::optional(line) : std::nullopt;
}

class TorchvisionLogReader {
 public:
  explicit TorchvisionLogReader(const contract::RunSpec& run) : log_(run, "torchvision") {}

  void read_line(const LogLine& line) {
    const std::size_t epoch = line.text.find("Epoch: [");
    const std::size_t test = line.text.find("Test: ");
    if (epoch != std::string_view::npos) {
      take_epoch_line(line, line.text.substr(epoch + 7));
    } else if (test != std::string_view::npos) {
      take_test_line(line, line.text.substr(test + 6));
    } else if (line.text.starts_with(" * Acc@1 ")) {
      take_accuracy(line, TextScanner(line.text.substr(3)));
    } else if (line.text.starts_with("Training time ")) {
      if (line.complete) take_whole_time(TextScanner(line.text.substr(14)));
      log_.stop(contract::RunOutcome::Completed);
    } else if (line.text.starts_with("Start training")) {
      launch_begins_ = log_.steps();
    }
  }
  LogContent finish() {
    if (!last_) log_.lacks_end_line();  // a run that only tests prints no end line
    return log_.finish();
  }
  CollectedLog& log() { return log_; }

 private:
  void take_epoch_line(const LogLine& line, std::string_view text) {
    if (const auto progress = read_progress(text)) {
      at_epoch_ = progress->epoch;
      if (log_.repeats(told_, {progress->epoch, progress->step})) return;
      if (last_ && last_->epoch != progress->epoch) load_s_ = 0;
      const std::int64_t before = last_ && last_->epoch == progress->epoch ? last_->step + 1 : 0;
      load_s_ += progress->data_s * static_cast<double>(progress->step + 1 - before);
      last_ = progress;
      return;
    }
    TextScanner scanner(text);
    std::int64_t epoch = 0;
    double wall_s = 0;
    if (scanner.skip("[") && scanner.integer(epoch) && scanner.skip("] Total time:")) {
      if (!line.complete) return log_.cut_off();
      if (!clock_time(scanner, wall_s)) return log_.skip("no time after \"Total time:\"");
      return end_epoch(epoch, wall_s);
    }
    line.complete ? log_.skip("the text after \"Epoch:\" is not a line of torchvision")
                  : log_.cut_off();
  }

  void end_epoch(std::int64_t number, double wall_s) {
    if (log_.repeats(ended_, {number, 0})) return;
    if (!last_ || last_->epoch != number)
      return log_.skip("the number of steps of the epoch is unknown");
    TimedSteps steps{.epoch = number, .steps = last_->steps};
    steps.samples = static_cast<double>(steps.steps) * static_cast<double>(log_.global_batch());
    steps.wall_s = wall_s;
    steps.load_s =
        load_s_ * static_cast<double>(steps.steps) / static_cast<double>(last_->step + 1);
    steps.lr = last_->lr;
    steps.loss = last_->loss;
    steps.warmup = first_;
    if (!log_.add_steps(steps)) return;
    first_ = false;
    contract::EpochRecord epoch{.epoch = static_cast<int>(number), .wall_s = wall_s};
    epoch.steps = steps.steps;
    epoch.samples = std::llround(steps.samples);
    epoch.train_loss = last_->loss;
    epoch.lr = last_->lr;
    log_.add_epoch(epoch);
  }

  /// Compares the printed time of all epochs of this launch with the windows. The printed time is
  /// an upper bound in whole seconds, because it includes evaluations.
  void take_whole_time(TextScanner scanner) {
    double wall_s = 0;
    if (!clock_time(scanner, wall_s)) return;
    log_.compare({.name = "Training time",
                  .value = wall_s,
                  .quantity = PrintedQuantity::seconds,
                  .span = PrintedSpan::longer,
                  .has_warmup = true,
                  .first_step = launch_begins_,
                  .resolution = 1});
  }

  void take_test_line(const LogLine& line, std::string_view text) {
    TextScanner scanner(text);
    if (scanner.skip("Total time:")) {
      double wall_s = 0;
      test_s_ = clock_time(scanner, wall_s) ? wall_s : std::nan("");
    } else if (scanner.skip("Acc@1")) {
      take_accuracy(line, TextScanner(text));
    }
  }

  void take_accuracy(const LogLine& line, TextScanner scanner) {
    double top1 = 0, top5 = 0;
    if (!line.complete) return log_.cut_off();
    if (!scanner.skip("Acc@1") || !scanner.number(top1) || !scanner.skip("Acc@5")) {
      return log_.skip("no accuracies after \"Acc@1\"");
    }
    std::map<std::string, double> metrics;
    if (scanner.number(top5)) metrics["top5_accuracy"] = top5 / 100;
    if (log_.repeats(tested_, {at_epoch_, 0})) return;
    log_.add_eval(at_epoch_, top1 / 100, std::nan(""), metrics, test_s_);
    test_s_ = std::nan("");
  }

  CollectedLog log_;
  std::optional<Progress> last_;
  RunPlace told_, ended_, tested_;
  std::int64_t at_epoch_ = 0;       ///< epoch of the last progress line, repeated lines included
  std::int64_t launch_begins_ = 0;  ///< step of the run at the last "Start training"
  double load_s_ = 0;
  double test_s_ = std::nan("");
  bool first_ = true;
};

bool recognises(std::string_view head) {
  return any_line(head, [](std::string_view line) {
    const std::size_t at = line.find("Epoch: [");
    return at != std::string_view::npos && read_progress(line.substr(at + 7)).has_value();
  });
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  return read_with<TorchvisionLogReader>(text, run, {&recognises});
}

}  // namespace

extern const LogFormat torchvision_entry;
const LogFormat torchvision_entry{
    .name = "torchvision",
    .summary = "standard output of torchvision's references/classification/train.py",
    .rates =
        "The rate is for all ranks: the samples of the steps of an epoch divided by the time of "
        "the epoch in whole seconds. It includes waiting for data. The first epoch is marked as "
        "warm-up. \"img/s\" is the rate of one rank without waiting for data and is not used.",
    .cross_check =
        "\"Training time\" is an upper bound of the sum of the epoch times, because it includes "
        "evaluations.",
    .file = "stdout",
    .needs_run = true,
    .recognises = &recognises,
    .read = &read_log,
    .tells_end = true,
};

}  // namespace dlscale::analysis
