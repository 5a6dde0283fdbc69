// SPDX-License-Identifier: Apache-2.0
// The standard output of timm's train.py (pytorch-image-models): "Train:" and "Test:" lines.
//
// timm's rates are images of all ranks over wall time, waiting for data included; those in
// parentheses are means since the epoch began. Between two lines of an epoch the time is therefore
// the difference of images / mean rate, which is finer than the printed milliseconds.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "analysis/store/formats/log_format.hpp"
#include "analysis/store/formats/log_lines.hpp"
#include "analysis/store/formats/text_scanner.hpp"

namespace dlscale::analysis {
namespace {

/// A number as C's functions print it, nan and infinities among them.
bool any(TextScanner& scanner, double& value) {
  if (scanner.number(value)) return true;
  for (const auto& [word, number] : {std::pair{"nan", std::nan("")},
                                     {"-nan", std::nan("")},
                                     {"inf", HUGE_VAL},
                                     {"-inf", -HUGE_VAL}}) {
    TextScanner ahead = scanner;
    if (!ahead.skip(word)) continue;
    scanner = ahead;
    value = number;
    return true;
  }
  return false;
}

bool count(TextScanner& scanner, int& value) {
  std::int64_t number = 0;
  if (!scanner.integer(number) || !std::in_range<int>(number)) return false;
  value = static_cast<int>(number);
  return true;
}

struct TrainLine {
  int epoch = 0, step = 0, steps = 0;
  double loss = 0, mean_loss = 0, mean_rate = 0, lr = 0, mean_load_s = 0;
};

/// "Train: 0 [  50/5004 (  1%)]  Loss: 6.9 (6.95)  Time: 0.4s, 621.3/s  (0.5s, 512.0/s) LR: 1.0e-01
/// Data: 0.01 (0.05)": what follows a number in parentheses is a mean; older versions print no unit
/// behind times. A loss may be nan.
std::optional<TrainLine> read_train_line(std::string_view text) {
  TrainLine line;
  TextScanner s(text);
  std::int64_t percent = 0;
  double ignored = 0;
  const bool head = s.skip("Train:") && count(s, line.epoch) && s.skip("[") &&
                    count(s, line.step) && s.skip("/") && count(s, line.steps) && s.skip("(") &&
                    s.integer(percent) && s.skip("%)]") && s.skip("Loss:") && any(s, line.loss) &&
                    s.skip("(") && any(s, line.mean_loss) && s.skip(")");
  if (!head || !s.skip("Time:") || !s.number(ignored)) return std::nullopt;
  s.skip("s");
  if (!s.skip(",") || !s.number(ignored) || !s.skip("/s") || !s.skip("(") || !s.number(ignored)) {
    return std::nullopt;
  }
  s.skip("s");
  const bool tail = s.skip(",") && s.number(line.mean_rate) && s.skip("/s)") && s.skip("LR:") &&
                    s.number(line.lr) && s.skip("Data:") && s.number(ignored) && s.skip("(") &&
                    s.number(line.mean_load_s);
  const bool can_be = line.mean_rate > 0 && line.step >= 0 && line.step < line.steps;
  return tail && can_be ? std::optional(line) : std::nullopt;
}

struct TestLine {
  int batch = 0, last_batch = 0;
  double mean_batch_s = 0, mean_loss = 0, mean_accuracy_percent = 0;
};

/// "Test: [  97/97]  Time: 0.1 (0.2)  Loss: 1.1 (1.2)  Acc@1: 70.0 (71.2)".
std::optional<TestLine> read_test_line(std::string_view text) {
  TestLine line;
  TextScanner s(text);
  double ignored = 0;
  const bool good = s.skip("Test:") && s.skip("[") && count(s, line.batch) && s.skip("/") &&
                    count(s, line.last_batch) && s.skip("]") && s.skip("Time:") &&
                    s.number(ignored) && s.skip("(") && s.number(line.mean_batch_s) &&
                    s.skip(")") && s.skip("Loss:") && any(s, ignored) && s.skip("(") &&
                    any(s, line.mean_loss) && s.skip(")") && s.skip("Acc@1:") &&
                    s.number(ignored) && s.skip("(") && s.number(line.mean_accuracy_percent);
  return good ? std::optional(line) : std::nullopt;
}

/// Turns lines into records as they come.
class Log {
 public:
  explicit Log(const contract::RunSpec& run) : run_(run) {
    contract::RunStart start{.run_id = run.run_id, .time = std::nan("")};
    start.world_size = run.gpus;
    start.nodes = run.resources.nodes;
    start.environment = {{"trainer", "timm"}};
    start.train_samples = run.dataset.train_samples;
    start.test_samples = run.dataset.test_samples;
    add(std::move(start));
  }

  void take(const LogLine& of) {
    const std::string_view line = of.text;
    number_ = of.number;
    if (const std::size_t at = line.find("Train: "); at != std::string_view::npos) {
      const auto train = read_train_line(line.substr(at));
      return train ? take(*train) : skip("no line of timm's after \"Train:\"");
    }
    if (const std::size_t at = line.find("Test: ["); at != std::string_view::npos) {
      const auto test = read_test_line(line.substr(at));
      return test ? take(*test) : skip("no line of timm's after \"Test:\"");
    }
  }
  contract::ResultsFile finish() { return std::move(file_); }

 private:
  void add(contract::ResultRecord record) {
    file_.records.push_back(std::move(record));
    file_.record_lines.push_back(number_);
  }
  void skip(const char* why) {
    file_.skipped.push_back("line " + std::to_string(number_) + ": " + why);
  }

  void take(const TrainLine& line) {
    const int done = line.step + 1;
    if (line.epoch != epoch_ || done <= done_) {  // an epoch begins
      first_step_ += done_;
      done_ = 0;
      wall_s_ = load_s_ = 0;
      warmup_ = epoch_ < 0;
    }
    epoch_ = line.epoch;
    const double wall_s = static_cast<double>(run_.global_batch) * done / line.mean_rate;
    const double load_s = line.mean_load_s * done;
    contract::StepWindow window{.epoch = line.epoch,
                                .first_step = first_step_ + done_,
                                .steps = done - done_,
                                .warmup = warmup_,
                                .time = std::nan("")};
    window.samples = run_.global_batch * window.steps;
    window.wall_s = wall_s - wall_s_;
    window.lr = line.lr;
    window.train_loss = line.loss;
    const double waited = std::min(std::max(load_s - load_s_, 0.0), window.wall_s);
    window.parts[int(contract::StepPart::load_wait)] = same_on_all_ranks(waited);
    window.parts[int(contract::StepPart::other)] = same_on_all_ranks(window.wall_s - waited);
    if (window.wall_s > 0) add(window);
    done_ = done;
    wall_s_ = wall_s;
    load_s_ = load_s;
    warmup_ = false;
    if (done == line.steps) end_epoch(line);
  }

  void end_epoch(const TrainLine& line) {
    contract::EpochRecord epoch{.epoch = line.epoch, .time = std::nan(""), .wall_s = wall_s_};
    epoch.steps = line.steps;
    epoch.samples = run_.global_batch * line.steps;
    epoch.train_loss = line.mean_loss;
    epoch.lr = line.lr;
    add(epoch);
  }

  void take(const TestLine& line) {
    if (line.batch != line.last_batch || epoch_ < 0) return;
    contract::EvalRecord eval{.epoch = epoch_, .time = std::nan("")};
    eval.wall_s = line.mean_batch_s * (line.last_batch + 1);
    eval.samples = run_.dataset.test_samples;
    eval.accuracy = line.mean_accuracy_percent / 100;
    eval.correct = std::llround(eval.accuracy * static_cast<double>(eval.samples));
    eval.loss = line.mean_loss;
    add(eval);
  }

  static contract::Spread same_on_all_ranks(double seconds) {
    return {seconds, seconds, seconds, seconds};
  }

  const contract::RunSpec& run_;
  contract::ResultsFile file_;
  int number_ = 0;
  int epoch_ = -1;                  ///< of the last "Train:" line
  int done_ = 0;                    ///< steps of that epoch, with their time
  double wall_s_ = 0, load_s_ = 0;  ///< and waiting for data, since it began
  std::int64_t first_step_ = 0;     ///< of that epoch, over the whole run
  bool warmup_ = true;
};

bool recognises(std::string_view head) {
  for (LogLines lines(head); lines.next();) {
    const std::size_t at = lines.line().text.find("Train: ");
    if (at == std::string_view::npos) continue;
    if (read_train_line(lines.line().text.substr(at))) return true;
  }
  return false;
}

LogContent read(std::string_view text, const contract::RunSpec& run) {
  Log log(run);
  for (LogLines lines(text); lines.next();) log.take(lines.line());
  return {.facts = {}, .file = log.finish()};
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
