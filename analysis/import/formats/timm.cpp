// SPDX-License-Identifier: Apache-2.0
// Reads the standard output of timm's train.py (pytorch-image-models): "Train:" and "Test:" lines.
// timm's rates are images of all ranks over wall time, including waiting for data. A rate in
// parentheses is the number of images of the current update divided by the mean time of an update
// since the epoch began. The time from the beginning of the epoch to a line is therefore images x
// number of updates / mean rate. The difference between these times of two lines is more precise
// than the printed milliseconds.
// Steps are batches before timm 0.9 and optimizer updates from 0.9 on. The last update of an epoch
// may have fewer images (fewer accumulated batches, or a smaller last batch). The printed rate of
// such an update is lower, although the printed time is the same. The product of rate and time in a
// line is the number of images of the update. The reader uses this product to recognise such a last
// update and to determine the global batch. If the user stated another batch, the times of the
// steps are still computed from the log. The mean time of all lines must then agree with the time
// of the windows.
// A log may contain several attempts. After a requeue the program appends to the same file, repeats
// the interrupted epoch from its beginning, and restarts its means. Differences are therefore
// computed between lines of one attempt. The first line with new steps follows a line of the same
// attempt that only repeats known steps, and the difference to that line is used. A new attempt is
// recognised by a line whose epoch or step is lower than before, or by the line "Model … created,
// param count:…", which train.py prints once when it starts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::string_view kTrain = "Train: ";
constexpr std::string_view kTest = "Test: [";
constexpr std::string_view kStart = " created, param count:";

struct TrainLine {
  std::int64_t epoch = 0, step = 0, steps = 0;
  double loss = 0, mean_loss = 0, mean_time_s = 0, mean_rate = 0, lr = 0, mean_load_s = 0;

  /// images() returns the number of images of the update that the line describes. rounding()
  /// returns the relative error of images() that the rounding of the printed digits causes.
  double images() const { return mean_rate * mean_time_s; }
  double rounding() const { return 0.0005 / mean_time_s + 0.005 / mean_rate; }
};

/// Reads "Train: 0 [  50/5004 (  1%)]  Loss: 6.9 (6.95)  Time: 0.4s, 621.3/s  (0.5s, 512.0/s) LR:
/// 1.0e-01 Data: 0.01 (0.05)". A number in parentheses is a mean. Older versions do not print a
/// unit after times.
std::optional<TrainLine> read_train_line(std::string_view text) {
  TrainLine line;
  TextScanner s(text);
  std::int64_t percent = 0;
  double ignored = 0;
  const bool head = s.skip("Train:") && s.integer(line.epoch) && s.skip("[") &&
                    s.integer(line.step) && s.skip("/") && s.integer(line.steps) && s.skip("(") &&
                    s.integer(percent) && s.skip("%)]") && s.skip("Loss:") && s.loss(line.loss) &&
                    s.skip("(") && s.loss(line.mean_loss) && s.skip(")");
  if (!head || !s.skip("Time:") || !s.number(ignored)) return std::nullopt;
  s.skip("s");
  if (!s.skip(",") || !s.number(ignored) || !s.skip("/s") || !s.skip("(") ||
      !s.number(line.mean_time_s)) {
    return std::nullopt;
  }
  s.skip("s");
  const bool tail = s.skip(",") && s.number(line.mean_rate) && s.skip("/s)") && s.skip("LR:") &&
                    s.number(line.lr) && s.skip("Data:") && s.number(ignored) && s.skip("(") &&
                    s.number(line.mean_load_s) && s.skip(")");
  const bool can_be = line.mean_rate > 0 && line.epoch >= 0 && line.step >= 0 &&
                      line.step < line.steps && line.steps <= 1'000'000'000;
  // In a log whose lines end with "\r" alone, `s` contains several lines of the log. Such a text is
  // not read as one line.
  const bool is_one = tail && can_be && s.rest().find(kTrain) == std::string_view::npos;
  return is_one ? std::optional(line) : std::nullopt;
}

struct TestLine {
  std::int64_t batch = 0, last_batch = 0;
  double mean_batch_s = 0, mean_loss = 0, mean_accuracy_percent = 0;
};

/// Reads "Test: [  97/97]  Time: 0.1 (0.2)  Loss: 1.1 (1.2)  Acc@1: 70.0 (71.2)".
std::optional<TestLine> read_test_line(std::string_view text) {
  TestLine line;
  TextScanner s(text);
  double ignored = 0;
  const bool good =
      s.skip("Test:") && s.skip("[") && s.integer(line.batch) && s.skip("/") &&
      s.integer(line.last_batch) && s.skip("]") && s.skip("Time:") && s.number(ignored) &&
      s.skip("(") && s.number(line.mean_batch_s) && s.skip(")") && s.skip("Loss:") &&
      s.loss(ignored) && s.skip("(") && s.loss(line.mean_loss) && s.skip(")") && s.skip("Acc@1:") &&
      s.number(ignored) && s.skip("(") && s.number(line.mean_accuracy_percent) && s.skip(")");
  return good ? std::optional(line) : std::nullopt;
}

class TimmLogReader {
 public:
  explicit TimmLogReader(const contract::RunSpec& run) : log_(run, "timm") {}

  void read_line(const LogLine& line) {
    line_ = line.number;
    if (const std::size_t at = line.text.find(kTrain); at != std::string_view::npos) {
      const auto train = read_train_line(line.text.substr(at));
      if (train) return read_line(*train);
      return line.complete ? log_.skip("the text after \"Train:\" is not a line of timm")
                           : log_.cut_off();
    }
    if (const std::size_t at = line.text.find(kTest); at != std::string_view::npos) {
      const auto test = read_test_line(line.text.substr(at));
      if (test) return read_line(*test);
      return line.complete ? log_.skip("the text after \"Test:\" is not a line of timm")
                           : log_.cut_off();
    }
    if (line.text.find(kStart) != std::string_view::npos) is_starting_ = true;
  }
  LogContent finish() {
    if (batch_note_line_ > 0) log_.sum_up(batch_note_line_, batch_note_);
    return log_.finish();
  }
  CollectedLog& log() { return log_; }

 private:
  /// Progress of an attempt at one of its lines, counted from the beginning of the epoch.
  struct Done {
    std::int64_t epoch = -1, steps = 0;
    double wall_s = 0, load_s = 0;
    double mean_wall_s = 0;  ///< seconds, from the mean time of an update
  };

  void read_line(const TrainLine& line) {
    at_epoch_ = line.epoch;
    const bool is_start = std::exchange(is_starting_, false);
    if (watch_.goes_back({line.epoch, line.step}) || is_start) begin_attempt();
    const bool is_first = told_.epoch < 0 || is_start;
    const bool is_new = !log_.repeats(told_, {line.epoch, line.step});
    if (is_new || line.epoch != done_.epoch || line.step >= done_.steps) {
      take_progress(line, is_new, is_first);
    }
  }

  void begin_attempt() {
    done_ = {};
    compared_ = {};
    full_.reset();
    batch_ = 0;  // an elastic restart may change the number of ranks
  }

  void take_progress(const TrainLine& line, bool is_new, bool is_first) {
    if (line.epoch != done_.epoch) done_ = {.epoch = line.epoch};
    const Done before = done_;
    const double batch = batch_of(line);
    done_.steps = line.step + 1;
    const double last_images = done_.steps == line.steps ? images_of_last(line, batch) : batch;
    if (done_.steps < line.steps) full_ = line;
    const auto count = static_cast<double>(done_.steps);
    done_.wall_s = last_images * count / line.mean_rate;
    done_.load_s = line.mean_load_s * count;
    done_.mean_wall_s = line.mean_time_s * count;
    if (!is_new) {
      compared_ = {};
      return;
    }
    if (compared_.epoch != line.epoch) begin_comparison(line.epoch, before);
    TimedSteps window{.epoch = line.epoch, .steps = done_.steps - before.steps};
    window.samples = batch * static_cast<double>(window.steps - 1) + last_images;
    window.wall_s = done_.wall_s - before.wall_s;
    window.load_s = done_.load_s - before.load_s;
    window.lr = line.lr;
    window.loss = line.loss;
    window.warmup = is_first;
    const bool is_good = log_.add_steps(window);
    compared_.is_whole = compared_.is_whole && is_good;
    if (compared_.is_whole) compare_time(line);
    if (is_good && done_.steps == line.steps) end_epoch(line, batch - last_images);
  }

  /// Returns the number of images of an update, from the first line of the attempt or from the
  /// stated batch.
  double batch_of(const TrainLine& line) {
    if (batch_ > 0) return batch_;
    const auto stated = static_cast<double>(log_.global_batch());
    const double printed = line.images();
    batch_ = stated;
    if (!(printed >= 1) || std::abs(stated - printed) <= (0.02 + line.rounding()) * printed) {
      return batch_;
    }
    batch_ = std::round(printed);
    if (log_.knows_batch()) {
      batch_note_line_ = line_;
      batch_note_ = fmt::format(
          "an update has {:.0f} images ({:g}/s x {:g} s), but the stated global batch is {:.0f}: "
          "step times are computed with the number from the log",
          batch_, line.mean_rate, line.mean_time_s, stated);
    }
    return batch_;
  }

  /// Returns the number of images of the last update of an epoch. This number is the batch
  /// multiplied by the ratio of two products of rate and time: the product of the last update and
  /// the product of an earlier, full update.
  double images_of_last(const TrainLine& line, double batch) const {
    if (!full_ || !(line.mean_time_s > 0)) return batch;
    const double share = line.images() / full_->images();
    const double unsure = 0.02 + line.rounding() + full_->rounding();
    return share < 1 - unsure ? std::max(std::round(batch * share), 1.0) : batch;
  }

  /// Windows of one epoch after a line of an attempt. The total time of these windows is compared
  /// with the mean times that the log prints.
  struct Comparison {
    std::int64_t epoch = -1, first_step = 0;  ///< epoch, and first step in the run
    double begins_s = 0;                      ///< mean time x steps at the line
    bool is_whole = true;                     ///< true if all lines after the line became windows
  };

  void begin_comparison(std::int64_t epoch, const Done& before) {
    compared_ = {.epoch = epoch, .first_step = log_.steps(), .begins_s = before.mean_wall_s};
  }

  void compare_time(const TrainLine& line) {
    const double wall_s = done_.mean_wall_s - compared_.begins_s;
    if (!(wall_s > 0)) return;
    log_.compare({.name = "mean Time",
                  .value = wall_s,
                  .quantity = PrintedQuantity::seconds,
                  .has_warmup = true,
                  .first_step = compared_.first_step,
                  .resolution = (done_.mean_wall_s + compared_.begins_s) * line.rounding()});
  }

  void end_epoch(const TrainLine& line, double missing_images) {
    contract::EpochRecord epoch{.epoch = static_cast<int>(line.epoch), .wall_s = done_.wall_s};
    epoch.steps = line.steps;
    epoch.samples = std::llround(batch_ * static_cast<double>(line.steps) - missing_images);
    epoch.train_loss = line.mean_loss;
    epoch.lr = line.lr;
    log_.add_epoch(epoch);
  }

  void read_line(const TestLine& line) {
    if (line.batch != line.last_batch || at_epoch_ < 0) return;
    if (log_.repeats(tested_, {at_epoch_, 0})) return;
    log_.add_eval(at_epoch_, line.mean_accuracy_percent / 100, line.mean_loss, {},
                  line.mean_batch_s * (static_cast<double>(line.last_batch) + 1));
  }

  CollectedLog log_;
  RunPlace told_, tested_;
  std::optional<TrainLine> full_;  ///< last line of an update with all its images
  std::string batch_note_;         ///< message that the stated batch differs from the log
  int batch_note_line_ = 0;        ///< line of `batch_note_`; 0: no message
  int line_ = 0;
  double batch_ = 0;            ///< images of an update; 0: unknown
  std::int64_t at_epoch_ = -1;  ///< epoch of the last "Train:" line, repeated lines included
  RestartWatch watch_;
  bool is_starting_ = false;  ///< true if the next line is the first of a new process
  Done done_;                 ///< progress at the last line, repeated lines included
  Comparison compared_;
};

bool recognises(std::string_view head) {
  return any_line(head, [](std::string_view line) {
    const std::size_t at = line.find(kTrain);
    return at != std::string_view::npos && read_train_line(line.substr(at)).has_value();
  });
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  return read_with<TimmLogReader>(text, run, {&recognises});
}

}  // namespace

extern const LogFormat timm_entry;
const LogFormat timm_entry{
    .name = "timm",
    .summary = "standard output of timm's train.py",
    .rates =
        "The rate is for all ranks and includes waiting for data. The first line of a run is "
        "marked as warm-up.",
    .cross_check =
        "The mean time of an update, which is in parentheses after \"Time:\", is compared with "
        "the time of the windows of the epoch. That time is computed from the mean rates and from "
        "the images per update, which the first line of the log gives.",
    .file = "stdout",
    .needs_run = true,
    .recognises = &recognises,
    .read = &read_log,
};

}  // namespace dlscale::analysis
