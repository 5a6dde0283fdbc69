// SPDX-License-Identifier: Apache-2.0
// Reads the output of tf_cnn_benchmarks.py (tensorflow/benchmarks, scripts/tf_cnn_benchmarks). Rows
// such as "10\timages/sec: 237.6 +/- 0.5 (jitter = 1.9)\t8.1" (benchmark_cnn.py,
// benchmark_one_step) cover one worker process and all its devices. With Horovod every process
// writes such rows. Only the last line, "total images/sec: 237.40" (_benchmark_graph), covers all
// workers. This total is the number of images of all steps divided by the wall time of these steps,
// including reading data. It excludes the warm-up steps (10 unless --num_warmup_batches changes the
// number). An aborted run does not print the total and therefore has no rate.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {
namespace {

struct Row {
  std::int64_t step = 0;
  double rate = 0;
  double loss = std::nan("");
};

/// Reads "10\timages/sec: 237.6 +/- 0.5 (jitter = 1.9)\t8.1". A missing loss is NaN.
bool read_row(std::string_view text, Row& row) {
  TextScanner scanner(text);
  if (!scanner.integer(row.step) || !scanner.skip("images/sec: ") || !scanner.number(row.rate) ||
      !scanner.skip("+/-") || !scanner.find("(jitter = ") || !scanner.find(")")) {
    return false;
  }
  if (!scanner.loss(row.loss)) row.loss = std::nan("");
  return true;
}

class TfCnnBenchmarksLogReader {
 public:
  explicit TfCnnBenchmarksLogReader(const contract::RunSpec& run)
      : log_(run, "tf_cnn_benchmarks") {}

  void read_line(const LogLine& line) {
    const std::string_view text = line.text;
    TextScanner scanner(text);
    Row row;
    if (text.find("images/sec: ") == std::string_view::npos) {
      if (line.complete) take_head(text);
    } else if (scanner.skip("total images/sec: ")) {
      take_total(line, scanner);
    } else if (!line.complete) {
      log_.cut_off();
    } else if (read_row(text, row)) {
      if (row.step <= last_.step) return;  // the row comes from another process
      last_ = row;
      last_line_ = line.number;
    } else {
      log_.skip("no valid row of tf_cnn_benchmarks around \"images/sec:\"");
    }
  }
  LogContent finish() { return log_.finish(); }
  CollectedLog& log() { return log_; }

 private:
  /// Reads lines such as "Model:       resnet50", "Batch size:  64 global", and the next line "32.0
  /// per device".
  void take_head(std::string_view text) {
    TextScanner scanner(text);
    std::int64_t number = 0;
    double value = 0;
    if (scanner.skip("Model:")) {
      scanner.skip_blanks();
      log_.fact("model", std::string(scanner.until(" \t")));
    } else if (scanner.skip("Dataset:")) {
      scanner.skip_blanks();
      log_.fact("dataset", std::string(scanner.until(" \t")));
    } else if (scanner.skip("Batch size:")) {
      if (scanner.integer(number) && scanner.skip("global")) log_.fact("global_batch", number);
    } else if (scanner.skip("Optimizer:")) {
      scanner.skip_blanks();
      log_.fact("optimizer", std::string(scanner.until(" \t")));
    } else if (scanner.skip("Devices:")) {
      count_devices(scanner.rest());
    } else if (scanner.skip("Num batches:")) {
      if (scanner.integer(number)) batches_ = number;
    } else if (scanner.number(value) && scanner.skip("per device") && value >= 1 && value < 1e9) {
      const std::int64_t batch = std::llround(value);
      log_.fact("batch_per_gpu", batch);
      if (log_.knows("global_batch")) gpus_ = log_.global_batch() / batch;
      log_.fact("gpus", gpus_);
    }
  }

  /// Counts the devices of this process in a list such as "['/gpu:0', '/gpu:1']". With Horovod or
  /// distributed workers the list does not show which devices belong to this process, so one device
  /// is assumed.
  void count_devices(std::string_view text) {
    const bool has_others = text.find("horovod") != text.npos || text.find("job:") != text.npos;
    devices_ = 0;
    for (std::size_t at = text.find("pu:"); at != text.npos; at = text.find("pu:", at + 1)) {
      ++devices_;
    }
    if (has_others || devices_ == 0) devices_ = 1;
  }

  /// Compares the total with the last row. The mean rate in a row excludes the time between two
  /// steps, so the total must not be larger.
  void compare_with_rows() {
    if (gpus_ < 1 || !(last_.rate > 0)) return;
    const std::int64_t processes = std::max<std::int64_t>(gpus_ / devices_, 1);
    log_.compare(
        {.name = fmt::format("images/sec at step {} x {} processes", last_.step, processes),
         .value = last_.rate * static_cast<double>(processes),
         .span = PrintedSpan::shorter,
         .line = last_line_});
  }

  void take_total(const LogLine& line, TextScanner scanner) {
    double rate = 0;
    if (!line.complete) return log_.cut_off();
    if (!scanner.number(rate)) return log_.skip("no rate after \"total images/sec:\"");
    if (log_.steps() > 0) return log_.skip_repeated();  // of another process or run
    TimedSteps all{.steps = last_.step > 0 ? last_.step : batches_};
    all.samples = static_cast<double>(all.steps) * static_cast<double>(log_.global_batch());
    all.wall_s = all.samples / rate;
    all.loss = last_.loss;
    if (!log_.add_steps(all)) return;
    compare_with_rows();
    log_.stop(contract::RunOutcome::Completed, "", all.wall_s);
  }

  CollectedLog log_;
  Row last_;
  std::int64_t batches_ = 0, gpus_ = 0;
  std::int64_t devices_ = 1;  ///< devices of the writing process
  int last_line_ = 0;         ///< line of the last row
};

bool recognises(std::string_view head) {
  return head.find("images/sec: ") != std::string_view::npos &&
         head.find("(jitter = ") != std::string_view::npos;
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  return read_with<TfCnnBenchmarksLogReader>(text, run, {&recognises});
}

}  // namespace

extern const LogFormat tf_cnn_benchmarks_entry;
const LogFormat tf_cnn_benchmarks_entry{
    .name = "tf_cnn_benchmarks",
    .summary = "output of TensorFlow's tf_cnn_benchmarks.py",
    .rates =
        "The rate is the total that the program prints for all workers. It includes reading data "
        "and excludes the warm-up steps of the program. The rows describe only one process and "
        "are not used.",
    .cross_check =
        "The rate of the last row times the number of processes is an upper bound of the total, "
        "because it excludes the time between steps.",
    .file = "stdout",
    .needs_run = true,
    .recognises = &recognises,
    .read = &read_log,
    .tells_end = true,
};

}  // namespace dlscale::analysis
