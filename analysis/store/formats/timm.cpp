// SPDX-License-Identifier: Apache-2.0
// The standard output of timm's train.py (pytorch-image-models): "Train:" and "Test:" lines.
//
// timm's rates are images of all ranks over wall time, waiting for data included; those in
// parentheses are means since the epoch began. Between two lines of an epoch the time is therefore
// the difference of images / mean rate, which is finer than the printed milliseconds.
#include <optional>

#include "analysis/store/formats/collected_log.hpp"
#include "analysis/store/formats/text_scanner.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::string_view kTrain = "Train: ";
constexpr std::string_view kTest = "Test: [";

struct TrainLine {
  std::int64_t epoch = 0, step = 0, steps = 0;
  double loss = 0, mean_loss = 0, mean_rate = 0, lr = 0, mean_load_s = 0;
};

/// "Train: 0 [  50/5004 (  1%)]  Loss: 6.9 (6.95)  Time: 0.4s, 621.3/s  (0.5s, 512.0/s) LR: 1.0e-01
/// Data: 0.01 (0.05)": what follows a number in parentheses is a mean; older versions print no unit
/// behind times.
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
  if (!s.skip(",") || !s.number(ignored) || !s.skip("/s") || !s.skip("(") || !s.number(ignored)) {
    return std::nullopt;
  }
  s.skip("s");
  const bool tail = s.skip(",") && s.number(line.mean_rate) && s.skip("/s)") && s.skip("LR:") &&
                    s.number(line.lr) && s.skip("Data:") && s.number(ignored) && s.skip("(") &&
                    s.number(line.mean_load_s) && s.skip(")");
  const bool can_be = line.mean_rate > 0 && line.epoch >= 0 && line.step >= 0 &&
                      line.step < line.steps && line.steps <= 1'000'000'000;
  // Ends of lines that are none ("\r" alone) put all of a log behind its first line.
  const bool is_one = tail && can_be && s.rest().find(kTrain) == std::string_view::npos;
  return is_one ? std::optional(line) : std::nullopt;
}

struct TestLine {
  std::int64_t batch = 0, last_batch = 0;
  double mean_batch_s = 0, mean_loss = 0, mean_accuracy_percent = 0;
};

/// "Test: [  97/97]  Time: 0.1 (0.2)  Loss: 1.1 (1.2)  Acc@1: 70.0 (71.2)".
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

class Reader {
 public:
  explicit Reader(const contract::RunSpec& run) : log_(run, "timm") {}

  void take(const LogLine& line) {
    if (const std::size_t at = line.text.find(kTrain); at != std::string_view::npos) {
      const auto train = read_train_line(line.text.substr(at));
      if (train) return take(*train);
      return line.complete ? log_.skip("no line of timm's after \"Train:\"") : log_.cut_off();
    }
    if (const std::size_t at = line.text.find(kTest); at != std::string_view::npos) {
      const auto test = read_test_line(line.text.substr(at));
      if (test) return take(*test);
      return line.complete ? log_.skip("no line of timm's after \"Test:\"") : log_.cut_off();
    }
  }
  LogContent finish() { return log_.finish(); }
  CollectedLog& log() { return log_; }

 private:
  void take(const TrainLine& line) {
    at_epoch_ = line.epoch;
    const RunPlace before = told_;
    if (log_.repeats(told_, {line.epoch, line.step})) return;
    if (line.epoch != before.epoch) {  // an epoch begins
      done_ = 0;
      wall_s_ = load_s_ = 0;
    }
    const std::int64_t done = line.step + 1;
    const double batch = static_cast<double>(log_.global_batch());
    const double wall_s = batch * static_cast<double>(done) / line.mean_rate;
    const double load_s = line.mean_load_s * static_cast<double>(done);
    TimedSteps window{.epoch = line.epoch, .steps = done - done_};
    window.samples = batch * static_cast<double>(window.steps);
    window.wall_s = wall_s - wall_s_;
    window.load_s = load_s - load_s_;
    window.lr = line.lr;
    window.loss = line.loss;
    window.warmup = before.epoch < 0;
    done_ = done;
    wall_s_ = wall_s;
    load_s_ = load_s;
    if (log_.add_steps(window) && done == line.steps) end_epoch(line);
  }

  void end_epoch(const TrainLine& line) {
    contract::EpochRecord epoch{.epoch = static_cast<int>(line.epoch), .wall_s = wall_s_};
    epoch.steps = line.steps;
    epoch.samples = log_.global_batch() * line.steps;
    epoch.train_loss = line.mean_loss;
    epoch.lr = line.lr;
    log_.add_epoch(epoch);
  }

  void take(const TestLine& line) {
    if (line.batch != line.last_batch || at_epoch_ < 0) return;
    if (log_.repeats(tested_, {at_epoch_, 0})) return;
    log_.add_eval(at_epoch_, line.mean_accuracy_percent / 100, line.mean_loss, {},
                  line.mean_batch_s * (static_cast<double>(line.last_batch) + 1));
  }

  CollectedLog log_;
  RunPlace told_, tested_;
  std::int64_t at_epoch_ = -1;      ///< of the last "Train:" line, told before or not
  std::int64_t done_ = 0;           ///< steps of the epoch under way, with their time
  double wall_s_ = 0, load_s_ = 0;  ///< and waiting for data, since it began
};

bool recognises(std::string_view head) {
  return any_line(head, [](std::string_view line) {
    const std::size_t at = line.find(kTrain);
    return at != std::string_view::npos && read_train_line(line.substr(at)).has_value();
  });
}

LogContent read(std::string_view text, const contract::RunSpec& run) {
  return read_with<Reader>(text, run, {&recognises});
}

}  // namespace

extern const LogFormat timm_entry;
const LogFormat timm_entry{
    .name = "timm",
    .summary = "standard output of timm's train.py",
    .rates =
        "of all ranks, waiting for data included; the first line of a run is marked as warm-up",
    .file = "stdout",
    .needs_run = true,
    .recognises = &recognises,
    .read = &read,
};

}  // namespace dlscale::analysis
