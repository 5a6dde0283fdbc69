// SPDX-License-Identifier: Apache-2.0
// The standard output of timm's train.py (pytorch-image-models): "Train:" and "Test:" lines.
//
// timm's rates are images of all ranks over wall time, waiting for data included; those in
// parentheses are means since the epoch began. Between two lines of an epoch the time is therefore
// the difference of images / mean rate, which is finer than the printed milliseconds.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

#include "analysis/store/formats/log_format.hpp"

namespace dlscale::analysis {
namespace {

struct TrainLine {
  int epoch = 0, step = 0, steps = 0;
  double loss = 0, mean_loss = 0, mean_rate = 0, lr = 0, mean_load_s = 0;
};

std::optional<TrainLine> read_train_line(const char* text) {
  TrainLine line;
  int percent = 0;
  double step_s = 0, rate = 0, mean_step_s = 0, load_s = 0;
  int used = 0;
  const int head =
      std::sscanf(text, "Train: %d [%d/%d (%d%%)] Loss: %lf (%lf) Time: %lf%n", &line.epoch,
                  &line.step, &line.steps, &percent, &line.loss, &line.mean_loss, &step_s, &used);
  if (head != 7) return std::nullopt;
  text += used + (text[used] == 's' ? 1 : 0);  // older versions print no unit here
  const int tail = std::sscanf(text, ", %lf/s (%lf%*[s, ] %lf/s) LR: %lf Data: %lf (%lf)", &rate,
                               &mean_step_s, &line.mean_rate, &line.lr, &load_s, &line.mean_load_s);
  if (tail != 6 || !(line.mean_rate > 0) || line.step < 0 || line.step >= line.steps) {
    return std::nullopt;
  }
  return line;
}

struct TestLine {
  int batch = 0, last_batch = 0;
  double mean_batch_s = 0, mean_loss = 0, mean_accuracy_percent = 0;
};

std::optional<TestLine> read_test_line(const char* text) {
  TestLine line;
  double batch_s = 0, loss = 0, accuracy = 0;
  const int read =
      std::sscanf(text, "Test: [%d/%d] Time: %lf (%lf) Loss: %lf (%lf) Acc@1: %lf (%lf)",
                  &line.batch, &line.last_batch, &batch_s, &line.mean_batch_s, &loss,
                  &line.mean_loss, &accuracy, &line.mean_accuracy_percent);
  return read == 8 ? std::optional(line) : std::nullopt;
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

  void take(int number, const std::string& line) {
    number_ = number;
    if (const std::size_t at = line.find("Train: "); at != std::string::npos) {
      const auto train = read_train_line(line.c_str() + at);
      return train ? take(*train) : skip("no line of timm's after \"Train:\"");
    }
    if (const std::size_t at = line.find("Test: ["); at != std::string::npos) {
      const auto test = read_test_line(line.c_str() + at);
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
  for (std::size_t start = 0; start < head.size();) {
    const std::size_t end = std::min(head.find('\n', start), head.size());
    const std::string line(head.substr(start, end - start));
    const std::size_t at = line.find("Train: ");
    if (at != std::string::npos && read_train_line(line.c_str() + at)) return true;
    start = end + 1;
  }
  return false;
}

LogContent read(std::string_view text, const contract::RunSpec& run) {
  Log log(run);
  int number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    log.take(++number, std::string(text.substr(start, end - start)));
    start = end + 1;
  }
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
