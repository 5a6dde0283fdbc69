// SPDX-License-Identifier: Apache-2.0
// The output of tf_cnn_benchmarks.py (tensorflow/benchmarks, scripts/tf_cnn_benchmarks).
//
// Rows "10\timages/sec: 237.6 +/- 0.5 (jitter = 1.9)\t8.1" (benchmark_cnn.py, benchmark_one_step)
// are of one worker process, all of its devices; with Horovod every process writes them. Only the
// last line, "total images/sec: 237.40" (_benchmark_graph), is of all workers: images of all steps
// over their wall time, reading data included, steps of warm-up (10 unless --num_warmup_batches)
// left out. A run that was broken off has therefore no rate.
#include "analysis/store/formats/collected_log.hpp"
#include "analysis/store/formats/text_scanner.hpp"

namespace dlscale::analysis {
namespace {

struct Row {
  std::int64_t step = 0;
  double loss = std::nan("");
};

/// "10\timages/sec: 237.6 +/- 0.5 (jitter = 1.9)\t8.1"; a loss that is not told is NaN.
bool read_row(std::string_view text, Row& row) {
  TextScanner scanner(text);
  double rate = 0;
  if (!scanner.integer(row.step) || !scanner.skip("images/sec: ") || !scanner.number(rate) ||
      !scanner.skip("+/-") || !scanner.find("(jitter = ") || !scanner.find(")")) {
    return false;
  }
  if (!scanner.loss(row.loss)) row.loss = std::nan("");
  return true;
}

class Reader {
 public:
  explicit Reader(const contract::RunSpec& run) : log_(run, "tf_cnn_benchmarks") {}

  void take(const LogLine& line) {
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
      if (row.step > last_.step) last_ = row;  // later ones of a step are of other processes
    } else {
      log_.skip("no row of tf_cnn_benchmarks around \"images/sec:\"");
    }
  }
  LogContent finish() { return log_.finish(); }
  CollectedLog& log() { return log_; }

 private:
  /// "Model:       resnet50", "Batch size:  64 global" and below it "32.0 per device", …
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
    } else if (scanner.skip("Num batches:")) {
      if (scanner.integer(number)) batches_ = number;
    } else if (scanner.number(value) && scanner.skip("per device") && value >= 1 && value < 1e9) {
      const std::int64_t batch = std::llround(value);
      log_.fact("batch_per_gpu", batch);
      if (log_.knows("global_batch")) log_.fact("gpus", log_.global_batch() / batch);
    }
  }

  void take_total(const LogLine& line, TextScanner scanner) {
    double rate = 0;
    if (!line.complete) return log_.cut_off();
    if (!scanner.number(rate)) return log_.skip("no rate after \"total images/sec:\"");
    if (log_.steps() > 0) return log_.skip_repeated();  // of another process, or another run
    TimedSteps all{.steps = last_.step > 0 ? last_.step : batches_};
    all.samples = static_cast<double>(all.steps) * static_cast<double>(log_.global_batch());
    all.wall_s = all.samples / rate;
    all.loss = last_.loss;
    if (log_.add_steps(all)) log_.stop(contract::RunOutcome::Completed, "", all.wall_s);
  }

  CollectedLog log_;
  Row last_;
  std::int64_t batches_ = 0;
};

bool recognises(std::string_view head) {
  return head.find("images/sec: ") != std::string_view::npos &&
         head.find("(jitter = ") != std::string_view::npos;
}

LogContent read(std::string_view text, const contract::RunSpec& run) {
  return read_with<Reader>(text, run, {&recognises});
}

}  // namespace

extern const LogFormat tf_cnn_benchmarks_entry;
const LogFormat tf_cnn_benchmarks_entry{
    .name = "tf_cnn_benchmarks",
    .summary = "output of TensorFlow's tf_cnn_benchmarks.py",
    .rates =
        "of all workers, reading data included, the program's own steps of warm-up left out: its "
        "total; rows are of one process and not used",
    .file = "stdout",
    .needs_run = true,
    .recognises = &recognises,
    .read = &read,
    .tells_end = true,
};

}  // namespace dlscale::analysis
