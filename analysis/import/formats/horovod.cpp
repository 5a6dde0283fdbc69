// SPDX-License-Identifier: Apache-2.0
// Reads the output of Horovod's examples (horovod/horovod): *_synthetic_benchmark.py for PyTorch
// and TensorFlow, and pytorch_imagenet_resnet50.py with its progress bars.
// - Synthetic benchmarks: "Iter #n: x img/sec per GPU" is the rate of rank 0 over the batches of an
//   iteration, on data that is already on the device. An iteration has 10 batches unless
//   --num-batches-per-iter changes the number, which the log does not state. An iteration is stored
//   as one step. "Total img/sec" is the mean rate of the iterations times the number of ranks.
// - Warm-up batches run before the first iteration, except in
//   tensorflow2_keras_synthetic_benchmark.py, whose first iteration contains the warm-up. This
//   program prints its first iteration and excludes it from the totals. All other programs print
//   "Running warmup...", so the first iteration of a log without this line is marked as warm-up.
// - ImageNet: the elapsed time of a finished bar "Train Epoch     #1: 100%|…| 2502/2502
//   [12:34<00:00, …, loss=…, accuracy=…]" is the wall time of rank 0 in whole seconds, including
//   waiting for data. Loss and accuracy are means over all ranks.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::string_view kIteration = "Iter #";
constexpr std::string_view kUnit = "img/sec per ";  // "GPU" or "CPU" follows

// Beginnings of progress bars, followed by "#1: 40%|…". A program rewrites a bar after each
// carriage return. The reader uses only the finished bar.
constexpr std::string_view kTrainBar = "Train Epoch     ", kValidateBar = "Validate Epoch  ";

struct Bar {
  std::int64_t epoch = 0, steps = 0;  ///< epoch numbers start at 1
  double wall_s = 0, loss = std::nan(""), accuracy = std::nan("");
};

/// Reads a finished bar such as "#1: 100%|##| 2502/2502 [12:34<00:00,  3.31it/s, loss=6.9,
/// accuracy=0.4]".
std::optional<Bar> read_bar(std::string_view text) {
  Bar bar;
  std::int64_t done = 0;
  TextScanner scanner(text);
  const bool good = scanner.skip("#") && scanner.integer(bar.epoch) && scanner.skip(": 100%|") &&
                    scanner.find("| ") && scanner.integer(done) && scanner.skip("/") &&
                    scanner.integer(bar.steps) && scanner.skip("[") &&
                    clock_time(scanner, bar.wall_s) && scanner.skip("<") &&
                    scanner.rest().find(']') != std::string_view::npos;
  if (!good || done != bar.steps || bar.steps < 1 || bar.epoch < 1) return std::nullopt;
  TextScanner loss(scanner.rest()), accuracy(scanner.rest());
  if (!loss.find("loss=") || !loss.loss(bar.loss)) bar.loss = std::nan("");
  if (!accuracy.find("accuracy=") || !accuracy.number(bar.accuracy)) bar.accuracy = std::nan("");
  return bar;
}

class HorovodLogReader {
 public:
  explicit HorovodLogReader(const contract::RunSpec& run) : run_(run), log_(run, "horovod") {}

  void read_line(const LogLine& line) {
    const std::string_view text = line.text;
    if (const std::size_t at = text.find(kIteration); at != std::string_view::npos) {
      take_iteration(line, text.substr(at + kIteration.size()));
    } else if (const std::size_t of = text.find("Total img/sec on "); of != text.npos) {
      take_total(line, text.substr(of + 17));
    } else if (const std::size_t bar = text.find(kTrainBar); bar != text.npos) {
      if (const auto one = read_bar(text.substr(bar + kTrainBar.size()))) trained(*one);
    } else if (const std::size_t bar = text.find(kValidateBar); bar != text.npos) {
      if (const auto one = read_bar(text.substr(bar + kValidateBar.size()))) validated(*one);
    } else if (line.complete) {
      take_head(text);
    }
  }
  LogContent finish() { return log_.finish(); }
  CollectedLog& log() { return log_; }

 private:
  /// Reads lines such as "Model: resnet50", "Batch size: 32" and "Number of GPUs: 4".
  void take_head(std::string_view text) {
    TextScanner scanner(text);
    std::int64_t number = 0;
    if (text.starts_with("Running warmup")) has_warmed_up_ = true;
    if (scanner.skip("Model: ")) {
      log_.fact("model", std::string(scanner.until(" \t,;")));
    } else if (scanner.skip("Batch size: ") && scanner.integer(number) && scanner.rest().empty()) {
      log_.fact("batch_per_gpu", number);
      batch_ = number;
    } else {
      scanner = TextScanner(text);
      if ((scanner.skip("Number of GPUs: ") || scanner.skip("Number of CPUs: ")) &&
          scanner.integer(number) && number > 0 && number < 10'000'000) {
        log_.fact("gpus", number);
        ranks_ = number;
        log_.start().world_size = static_cast<int>(number);
      }
    }
  }

  void take_iteration(const LogLine& line, std::string_view text) {
    TextScanner scanner(text);
    std::int64_t number = 0;
    double rate = 0;
    if (!scanner.integer(number) || !scanner.skip(":") || !scanner.number(rate)) {
      return line.complete ? log_.skip("no rate after \"Iter\"") : log_.cut_off();
    }
    if (!scanner.skip(kUnit)) {
      return line.complete ? log_.skip("the rate after \"Iter\" is not per GPU") : log_.cut_off();
    }
    if (log_.repeats(told_, {0, number})) return;
    if (number != iterations_) return log_.skip("the iterations before this iteration are missing");
    ++iterations_;
    TimedSteps step{.steps = 1};
    const double batch =
        static_cast<double>(batch_ > 0 ? batch_ : std::max<std::int64_t>(run_.batch_per_gpu, 1));
    step.samples = batch * static_cast<double>(ranks_ > 0 ? ranks_ : run_.gpus);
    step.wall_s = batch / rate;
    step.warmup = number == 0 && !has_warmed_up_;
    log_.add_steps(step);
  }

  void take_total(const LogLine& line, std::string_view text) {
    TextScanner scanner(text);
    std::int64_t ranks = 0;
    double rate = 0;
    if (scanner.integer(ranks) && scanner.find("U(s): ") && scanner.number(rate) &&
        scanner.skip("+-")) {
      log_.fact("gpus", ranks);
      log_.compare({.name = fmt::format("Total img/sec on {} ranks", ranks),
                    .value = rate,
                    .quantity = PrintedQuantity::mean_samples_per_s});
      return log_.stop(contract::RunOutcome::Completed);
    }
    line.complete ? log_.skip("no total after \"Total img/sec on\"") : log_.cut_off();
  }

  void trained(const Bar& bar) {
    log_.lacks_end_line();             // the last bar of a run has no end mark
    if (bar.epoch <= epochs_) return;  // repeated bar
    epochs_ = bar.epoch;
    TimedSteps steps{.epoch = bar.epoch - 1, .steps = bar.steps};
    steps.samples = static_cast<double>(bar.steps) * static_cast<double>(log_.global_batch());
    steps.wall_s = bar.wall_s;
    steps.loss = bar.loss;
    steps.warmup = log_.steps() == 0;
    if (!log_.add_steps(steps)) return;
    contract::EpochRecord epoch{.epoch = static_cast<int>(steps.epoch), .wall_s = bar.wall_s};
    epoch.steps = steps.steps;
    epoch.samples = std::llround(steps.samples);
    epoch.train_loss = bar.loss;
    epoch.lr = std::nan("");
    log_.add_epoch(epoch);
  }

  void validated(const Bar& bar) {
    if (bar.epoch <= validated_) return;
    validated_ = bar.epoch;
    log_.add_eval(bar.epoch - 1, bar.accuracy / 100, bar.loss, {}, bar.wall_s);
  }

  const contract::RunSpec& run_;
  CollectedLog log_;
  RunPlace told_;
  bool has_warmed_up_ = false;  ///< true if a warm-up preceded the first iteration
  std::int64_t batch_ = 0, ranks_ = 0, iterations_ = 0, epochs_ = 0, validated_ = 0;
};

bool recognises(std::string_view head) {
  return any_line(head, [](std::string_view line) {
    TextScanner iteration(line);
    std::int64_t number = 0;
    double rate = 0;
    if (iteration.find(kIteration)) {
      return iteration.integer(number) && iteration.skip(":") && iteration.number(rate) &&
             iteration.skip(kUnit);
    }
    TextScanner bar(line);
    return bar.find(kTrainBar) && bar.skip("#") && bar.integer(number) && bar.skip(":") &&
           bar.find("%|");
  });
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  return read_with<HorovodLogReader>(text, run, {&recognises});
}

}  // namespace

extern const LogFormat horovod_entry;
const LogFormat horovod_entry{
    .name = "horovod",
    .summary = "output of Horovod's examples: synthetic benchmarks, pytorch_imagenet_resnet50.py",
    .rates =
        "Synthetic benchmarks: The rate is the rate of rank 0 times the number of ranks, on data "
        "that is already on the device. Warm-up batches are excluded (Keras: the first iteration "
        "is marked as warm-up). ImageNet: The rate is for all ranks, includes waiting for data "
        "and uses times in whole seconds. The first epoch is marked as warm-up.",
    .cross_check =
        "Synthetic benchmarks: \"Total img/sec\" is compared with the mean of the rates of the "
        "iterations. ImageNet: Nothing is compared, because the rate of a progress bar comes from "
        "the same elapsed time.",
    .file = "stdout",
    .needs_run = true,
    .recognises = &recognises,
    .read = &read_log,
    .tells_end = true,
};

}  // namespace dlscale::analysis
