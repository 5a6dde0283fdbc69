// SPDX-License-Identifier: Apache-2.0
// Reads tables of timm's benchmark.py (huggingface/pytorch-image-models, results/benchmark-*.csv).
// The table has one row per model with train_samples_per_sec, train_step_time (ms) and
// train_batch_size, or the same columns with infer_ instead of train_. Each row is a run on one GPU
// with synthetic input on the device. The numbers exclude warm-up steps. The rate is the number of
// all samples divided by the time of all steps. The step time is a mean over the steps. In the
// tables that timm publishes, batch / step time differs from the rate by at most 2 %. If the rate
// and the step time contradict each other, training rows lose their rate and inference rows are
// left out.
#include <fmt/format.h>

#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/csv_row.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::string_view kTrain = "model,train_samples_per_sec,train_step_time,train_batch_size";
constexpr std::string_view kInfer = "model,infer_samples_per_sec,infer_step_time,infer_batch_size";
constexpr double kDisagreement = 0.05;

bool is_heading(std::string_view line) {
  return line.starts_with(kTrain) || line.starts_with(kInfer);
}

class TimmBenchmarkLogReader {
 public:
  explicit TimmBenchmarkLogReader(const contract::RunSpec& run) : log_(run, "timm") {}

  /// Determines the columns from the beginning of the table.
  void learn(std::string_view text) {
    for (LogLines lines(text); !columns_ && lines.next();) {
      if (lines.line().complete && is_heading(lines.line().text)) {
        columns_.emplace(lines.line().text);
      }
    }
  }

  void read_line(const LogLine& line) {
    if (is_heading(line.text)) {
      if (line.complete) columns_.emplace(line.text);
    } else if (columns_ && line.text.find(',') != line.text.npos) {
      line.complete ? take_row(line.text) : log_.cut_off();
    }
  }
  LogContent finish() { return log_.finish(); }
  CollectedLog& log() { return log_; }

 private:
  void take_row(std::string_view line) {
    const auto cells = base::split(line, ',');
    const bool trains = columns_->names()[1].starts_with("train_");
    const std::string of = trains ? "train_" : "infer_";
    const auto number = [&](const std::string& name) { return columns_->number(cells, of + name); };
    const auto rate = number("samples_per_sec"), step_ms = number("step_time");
    const auto batch = number("batch_size");
    if (cells.size() != columns_->names().size() || cells[0].empty() || !rate || !step_ms ||
        !batch || *batch < 1 || *batch > 1e9 || *batch != std::floor(*batch)) {
      return log_.skip("is not a row of a model");
    }
    const double expected = *batch / *step_ms * 1e3;
    if (!trains && !(std::abs(expected - *rate) <= kDisagreement * *rate)) {
      return log_.skip(
          fmt::format("{} samples/s are printed, but a batch of {:.0f} in {} ms gives {:.4g}: "
                      "check the unit of the time",
                      *rate, *batch, *step_ms, expected));
    }
    log_.fact("model", std::string(cells[0]));
    log_.fact("gpus", std::int64_t{1});
    log_.fact("batch_per_gpu", std::llround(*batch));
    const double parameters = columns_->number(cells, "param_count").value_or(0) * 1e6;
    if (parameters > 0 && parameters < 1e15) log_.start().parameters = std::llround(parameters);
    trains ? add_training(*batch, *step_ms, *rate) : add_inference(*batch, *step_ms, *rate);
  }

  void add_training(double batch, double step_ms, double rate) {
    const std::int64_t first = log_.steps();
    if (!log_.add_steps({.steps = 1, .samples = batch, .wall_s = batch / rate})) return;
    log_.compare({.name = "train_step_time",
                  .value = step_ms / 1000,
                  .quantity = PrintedQuantity::seconds,
                  .first_step = first});
  }

  void add_inference(double batch, double step_ms, double rate) {
    const double latency = step_ms * 1e-3;
    contract::InferenceRecord inference{.batch = std::llround(batch), .batches = 1};
    inference.time = std::nan("");
    inference.wall_s = latency;
    inference.latency_s = {latency, latency, latency, latency};  // the table states only the mean
    inference.samples_per_s = rate;
    log_.add(inference);
  }

  CollectedLog log_;
  std::optional<CsvColumns> columns_;
};

bool recognises(std::string_view head) {
  return any_line(head.substr(0, 1024), is_heading);
}

LogContent read_part(std::string_view text, const LogPart& part, const contract::RunSpec& run) {
  TimmBenchmarkLogReader reader(run);
  if (part.offset > 0) reader.learn(text);
  take_lines(
      part.size > 0 && part.offset < text.size() ? text.substr(part.offset, part.size) : text,
      reader.log(), [&](const LogLine& line) { reader.read_line(line); }, {&recognises},
      part.first_line - 1);
  // The end of a truncated table is reported for each of its runs.
  if (!text.empty() && !text.ends_with('\n')) reader.log().cut_off();
  return reader.finish();
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  return read_part(text, {}, run);
}

std::vector<LogPart> parts(std::string_view text) {
  std::vector<LogPart> found;
  std::map<std::string, int> seen;
  bool known = false;
  std::size_t offset = 0;
  for (LogLines lines(text); lines.next();) {
    const LogLine& line = lines.line();
    const std::size_t begins = offset;
    offset = std::min(text.find('\n', offset), text.size() - 1) + 1;
    if (!line.complete || line.text.size() > kLongestLine) continue;
    known = known || is_heading(line.text);
    const std::size_t comma = line.text.find(',');
    if (!known || is_heading(line.text) || comma == line.text.npos || comma == 0) continue;
    const std::string model(line.text.substr(0, comma));
    found.push_back({{{"model", model}}, begins, offset - begins, line.number});
    if (++seen[model] > 1) found.back().which["row"] = std::to_string(seen[model]);
  }
  return found;
}

}  // namespace

extern const LogFormat timm_benchmark_entry;
const LogFormat timm_benchmark_entry{
    .name = "timm_benchmark",
    .summary = "tables of timm's benchmark.py: training or inference of many models on one GPU",
    .rates =
        "The rate is for one GPU with synthetic data that is already on the device. It excludes "
        "warm-up steps. The mean over several steps is imported as one step.",
    .cross_check =
        "train_samples_per_sec is compared with train_batch_size / train_step_time, and likewise "
        "for inference.",
    .file = "",
    .needs_run = false,
    .recognises = &recognises,
    .read = &read_log,
    .parts = &parts,
    .read_part = &read_part,
};

}  // namespace dlscale::analysis
