// SPDX-License-Identifier: Apache-2.0
// Reads the output of GNMT's train.py (NVIDIA/DeepLearningExamples, PyTorch/Translation/GNMT,
// seq2seq/train/trainer.py).
// Each rank prints "TRAIN [0][10/237]\tTime 0.332 (0.359)\tData …\tTok/s …". "Summary:" and
// "Performance:" follow after each epoch.
// "Time" is the wall time of an iteration, including waiting for data ("Data"). The value in
// parentheses is the mean time of the iterations since the start of the epoch. Later versions
// exclude the first iteration of an epoch from the mean and print 0 as the mean in the line of the
// first iteration. The reader adds one window for each epoch. The time of the window is the mean in
// the last line of the epoch times the number of iterations up to this line.
// Samples are pairs of sentences. Tok/s counts source and target tokens. It is the mean rate of the
// iterations, summed over the ranks, and is stored as a metric and not as the rate of the run. All
// ranks print the same lines. If launcher prefixes do not distinguish the ranks, the first line of
// each iteration is used.
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::string_view kTrain = "TRAIN [";
constexpr std::string_view kArguments = "Run arguments: Namespace(";

struct Progress {
  /// Number of the epoch and of the iteration (both from 0), and number of iterations in the epoch.
  std::int64_t epoch = 0, iteration = 0, iterations = 0;
  double time_s = 0, mean_time_s = 0, mean_data_s = 0, loss = 0, lr = std::nan("");
};

std::optional<Progress> read_progress(std::string_view text) {
  Progress p;
  TextScanner s(text);
  double ignored = 0;
  const bool good = s.skip(kTrain) && s.integer(p.epoch) && s.skip("][") &&
                    s.integer(p.iteration) && s.skip("/") && s.integer(p.iterations) &&
                    s.skip("]") && s.find("Time ") && s.number(p.time_s) && s.skip("(") &&
                    s.number(p.mean_time_s) && s.skip(")") && s.find("Data ") &&
                    s.number(ignored) && s.skip("(") && s.number(p.mean_data_s) && s.skip(")") &&
                    s.find("Loss/tok ") && s.loss(ignored) && s.skip("(") && s.loss(p.loss) &&
                    s.skip(")");
  if (!good || p.epoch < 0 || p.iteration < 0 || p.iterations <= p.iteration) return std::nullopt;
  if (!s.find("LR ") || !s.number(p.lr)) p.lr = std::nan("");
  return p;
}

class GnmtLogReader {
 public:
  explicit GnmtLogReader(const contract::RunSpec& run) : run_(run), log_(run, "gnmt") {}

  void read_line(const LogLine& line) {
    const std::string_view text = line.text;
    if (text.starts_with(kTrain)) {
      take_progress(line);
    } else if (!line.complete) {
      if (text.starts_with("Performance: ") || text.starts_with("Summary: ")) log_.cut_off();
    } else if (text.starts_with(kArguments)) {
      take_arguments(text.substr(kArguments.size()));
    } else if (text.starts_with("Summary: Epoch: ")) {
      take_summary(text);
    } else if (text.starts_with("Performance: Epoch: ")) {
      take_performance(text);
    } else if (text.starts_with("Total training time ")) {
      take_total(text);
    } else {
      take_head(text);
    }
  }
  LogContent finish() { return log_.finish(); }
  CollectedLog& log() { return log_; }

 private:
  /// Reads the arguments, which each rank prints.
  void take_arguments(std::string_view text) {
    // Arguments that follow the first iteration belong to another training.
    if (last_ || performed_.epoch >= 0) return log_.skip_repeated();
    ++ranks_;
    log_.start().world_size = static_cast<int>(ranks_);
    if (ranks_ > 1) return;
    const auto value = [&](const char* name) -> std::string {
      TextScanner s(text);
      if (!s.find(std::string(name) + "=")) return "";
      s.skip("'");
      return std::string(s.until("',)"));
    };
    log_.fact("model", "gnmt");
    log_.fact("precision", value("math"));
    log_.fact("optimizer", value("optimizer"));
    log_.fact("epochs", value(" epochs"));
    const std::string batch = value("train_batch_size");
    TextScanner(batch).integer(batch_);
    log_.fact("batch_per_gpu", batch_);
  }

  void take_head(std::string_view text) {
    TextScanner s(text);
    std::int64_t number = 0;
    if (s.skip("Number of parameters: ") && s.integer(number)) {
      log_.start().parameters = number;
    } else if (s = TextScanner(text); s.skip("Pairs before: ") && s.find("after: ") &&
                                      s.integer(number) && log_.start().train_samples == 0) {
      log_.start().train_samples = number;  // the training file is printed first
    }
  }

  void take_progress(const LogLine& line) {
    if (!line.complete) return log_.cut_off();
    const auto progress = read_progress(line.text);
    if (!progress) return log_.skip("no GNMT iteration after \"TRAIN [\"");
    if (progress->epoch <= performed_.epoch) return log_.skip_repeated();
    skips_first_ = skips_first_ || (progress->iteration == 0 && progress->mean_time_s == 0);
    const bool known =
        last_ && last_->epoch == progress->epoch && progress->iteration <= last_->iteration;
    if (!known) last_ = progress;
  }

  /// Reads "Summary: Epoch: 1\tTraining Loss: 8.1209\tValidation Loss: 8.1957\tTest BLEU: 0.01".
  void take_summary(std::string_view text) {
    TextScanner s(text);
    double loss = 0, bleu = 0;
    validation_ = std::nan("");
    metrics_.clear();
    if (s.find("Validation Loss: ") && s.loss(loss)) validation_ = loss;
    if (s.find("Test BLEU: ") && s.number(bleu)) metrics_["bleu"] = bleu;
  }

  /// Reads "Performance: Epoch: 1\tTraining: 609055 Tok/s\tValidation: 1097529 Tok/s".
  void take_performance(std::string_view text) {
    TextScanner s(text);
    std::int64_t epoch = 0;
    double rate = 0;
    if (!s.skip("Performance: Epoch:") || !s.integer(epoch) || !s.find("Training: ") ||
        !s.number(rate)) {
      return log_.skip("no GNMT rate after \"Performance:\"");
    }
    if (log_.repeats(performed_, {epoch, 0})) return;
    log_.fact("gpus", ranks_);
    add_epoch(epoch);
    metrics_["train_tokens_per_s"] = rate;
    log_.add_eval(epoch, std::nan(""), validation_, std::move(metrics_));
    metrics_.clear();
  }

  void add_epoch(std::int64_t epoch) {
    if (!last_ || last_->epoch != epoch) return;
    const Progress p = *last_;
    last_.reset();
    if (skips_first_ && p.iteration == 0) {
      return log_.skip(
          "the log prints only the first iteration of the epoch, whose time is not a mean: no "
          "rate");
    }
    TimedSteps window{.epoch = epoch, .steps = p.iteration + (skips_first_ ? 0 : 1)};
    const std::int64_t ranks = ranks_ > 0 ? ranks_ : run_.gpus;
    const std::int64_t batch =
        batch_ > 0 ? batch_ * ranks : std::max<std::int64_t>(log_.global_batch(), 1);
    window.samples = static_cast<double>(window.steps * batch);
    window.wall_s = static_cast<double>(window.steps) * p.mean_time_s;
    window.load_s = static_cast<double>(window.steps) * p.mean_data_s;
    window.loss = p.loss;
    window.lr = p.lr;
    window.warmup = log_.steps() == 0;
    log_.add_steps(window);
  }

  /// Reads the total training time, which ends the run. Each rank prints this line, and the first
  /// of these lines is used.
  void take_total(std::string_view text) {
    TextScanner s(text);
    double wall_s = 0;
    if (!s.skip("Total training time ") || !s.number(wall_s)) return;
    if (!std::exchange(has_total_, true)) {
      log_.compare({.name = "Total training time",
                    .value = wall_s,
                    .quantity = PrintedQuantity::seconds,
                    .span = PrintedSpan::longer,
                    .has_warmup = true,
                    .resolution = 1});
    }
    log_.stop(contract::RunOutcome::Completed, "", wall_s);
  }

  const contract::RunSpec& run_;
  CollectedLog log_;
  std::optional<Progress> last_;
  RunPlace performed_;
  std::map<std::string, double> metrics_;
  double validation_ = std::nan("");
  std::int64_t ranks_ = 0, batch_ = 0;
  bool skips_first_ = false, has_total_ = false;
};

bool recognises(std::string_view head) {
  if (head.find(":::ML") != head.npos) return false;  // MLPerf lines state more
  return any_line(head, [](std::string_view line) {
    return (line.starts_with(kArguments) && line.find("train_max_length=") != line.npos) ||
           (read_progress(line) && line.find("Tok/s ") != line.npos);
  });
}

bool is_of_each_rank(std::string_view line) {
  return line.starts_with(kArguments);
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  return read_with<GnmtLogReader>(text, run, {&recognises, &is_of_each_rank});
}

}  // namespace

extern const LogFormat gnmt_entry;
const LogFormat gnmt_entry{
    .name = "gnmt",
    .summary = "output of GNMT's train.py (NVIDIA DeepLearningExamples, PyTorch)",
    .rates =
        "The rate counts the pairs of sentences of all ranks and includes waiting for data. The "
        "time of an epoch is the mean time of an iteration times the number of iterations up to "
        "the last printed one. The first epoch is marked as warm-up.",
    .cross_check =
        "\"Total training time\" is an upper bound of the sum of the epoch times, because it "
        "includes evaluations. Tok/s counts tokens and cannot be compared.",
    .file = "",
    .needs_run = true,
    .recognises = &recognises,
    .read = &read_log,
    .tells_end = true,
};

}  // namespace dlscale::analysis
