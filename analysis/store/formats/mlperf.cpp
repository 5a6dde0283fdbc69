// SPDX-License-Identifier: Apache-2.0
// size: the reader is one state machine over the events of a run.
// Logs of MLPerf Training: epochs and blocks of training, evaluations and the end of the run.
//
// Whole epochs last from epoch_start to epoch_stop, or, as blocks of epochs (first_epoch_num,
// epoch_count), from block_start to block_stop or eval_start. In v0.5 it is what lies between
// train_epoch, eval_start and eval_stop lines. Logs without eval_start have blocks with the
// evaluation in them. The environment's "timed" tells the kinds apart. mlperf_progress.hpp
// describes the other units of progress.
//
// "throughput" (or "imgs_sec") of tracked_stats is compared with the windows. It is a rate of all
// accelerators over the period before it, except that SSD and RetinaNet print the rate of one
// accelerator (of all in some logs of v5.1), that BERT includes the evaluation before the period,
// and that DLRM and the graph benchmarks include the evaluations of the whole run.
//
// "input_batch_size" of v0.5 is not read: some programs mean the batch of a device, others the
// batch of all devices.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/store/formats/collected_log.hpp"
#include "analysis/store/formats/mlperf_lines.hpp"
#include "analysis/store/formats/mlperf_progress.hpp"

namespace dlscale::analysis {
namespace {

class Reader {
 public:
  explicit Reader(const contract::RunSpec& run) : log_(run, "mlperf") {}

  void take(const LogLine& line) {
    if (line.text.find(kMlperfMark) == line.text.npos) return;
    line_ = line.number;
    MlperfEvent event;
    if (!lines_.read(line, event)) {
      return line.complete ? log_.skip("no line of MLPerf's after its mark") : log_.cut_off();
    }
    if (!event.benchmark.empty()) set_benchmark(event.benchmark);
    progress_.train_samples = log_.start().train_samples;
    progress_.global_batch = log_.knows_batch() ? log_.global_batch() : 0;
    progress_.is_first_epoch = by_epoch_ && done_ == 0;
    progress_.find_samples(event);
    if (!told(event)) timed(event);
  }

  LogContent finish() {
    if (!timed_.empty()) log_.start().environment["timed"] = timed_;
    return log_.finish();
  }
  CollectedLog& log() { return log_; }

 private:
  void set_benchmark(std::string_view name) {
    benchmark_ = progress_.benchmark = name;
    log_.fact("model", benchmark_);
  }

  /// What lines say of the run as a whole. False: it is another line.
  bool told(const MlperfEvent& e) {
    const std::string_view key = e.key;
    const auto whole = static_cast<std::int64_t>(std::clamp(e.value.value_or(0), 0.0, 9e15));
    if (key == "submission_benchmark") {
      set_benchmark(e.text);
    } else if (key == "global_batch_size") {
      log_.fact("global_batch", whole);
    } else if (key == "train_samples" || key == "preproc_num_train_examples") {
      log_.start().train_samples = whole;
    } else if (key == "eval_samples" || key == "preproc_num_eval_examples") {
      log_.start().test_samples = whole;
    } else if (key == "submission_platform") {
      log_.start().environment.emplace("platform", e.text);
    } else if (key == "samples_per_epoch") {
      progress_.samples_per_epoch = whole;
    } else if (key == "max_sequence_length") {
      progress_.sequence_length = std::max<std::int64_t>(whole, 1);
    } else if (key == "gradient_accumulation_steps") {
      log_.fact("accumulation_steps", whole);
    } else if (key == "opt_name") {
      log_.fact("optimizer", std::string(e.text));
    } else {
      return false;
    }
    return true;
  }

  void timed(const MlperfEvent& e) {
    if (e.rate && begun_) return take_rate(*e.rate);
    if (stopped_) {  // what is under way then is not complete
      if (e.key == "run_start") log_.skip_repeated();
      return;
    }
    if (unsure_s_) resolve_epoch(e);
    if (e.key == "run_start") {
      begun_ = Mark{e.time, {}};
      log_.start().time = e.time;
      open_.reset();
      first_epoch_.reset();
      done_ = done_samples_ = count_ = 0;
    } else if (!begun_) {
      return;  // a rehearsal before the run
    } else if (e.key == "epoch_start" || e.key == "block_start" || e.key == "train_loop" ||
               e.key == "train_epoch") {
      period_starts(e);
    } else if (e.key == "epoch_stop" || e.key == "eval_start" || e.key == "block_stop") {
      period_ends(e);
      if (e.key == "eval_start") compare_count(e);
    } else if (e.key == "eval_stop") {
      evaluated_in_epoch_ = evaluated_in_epoch_ || (by_epoch_ && open_);
      if (is_v05_ || (counts_by_samples_ && !open_)) open_ = Mark{e.time, {}};
    } else if (e.key == "eval_accuracy" && e.value) {
      evaluated(e);
    } else if (e.key == "run_stop") {
      run_stops(e);
    }
  }

  struct Mark {
    double time = 0;
    std::optional<double> epoch;
    double epochs = 1;
    std::optional<double> samples = {};        ///< that the line states
    std::optional<double> block_samples = {};  ///< likewise
  };

  void period_starts(const MlperfEvent& e) {
    is_v05_ = e.key.starts_with("train_");
    pending_rate_.reset();
    evaluated_in_epoch_ = false;
    if (e.samples || e.block_samples || benchmark_ == "bert") counts_by_samples_ = true;
    if (e.key == "train_epoch" && open_ && open_->epoch) period_ends(e);  // the one before ends
    if (e.key == "epoch_start") by_epoch_ = true;
    if (e.key == "block_start" && by_epoch_ && !counts_by_samples_) return;
    if (!first_epoch_ && e.epoch) first_epoch_ = std::min(*e.epoch, 1.0);
    open_ = Mark{e.time, e.epoch, e.key == "block_start" ? e.epochs.value_or(1) : 1, e.samples,
                 e.block_samples};
  }

  void period_ends(const MlperfEvent& e) {
    if (e.samples || e.block_samples) counts_by_samples_ = true;
    if (counts_by_samples_) return period_of_samples_ends(e);
    if (by_epoch_ && e.key != "epoch_stop") return;
    if (!open_) return;
    const Mark begin = *open_;
    // A block may be evaluated while the next one trains.
    const bool is_of_before =
        e.key == "block_stop" && e.epoch && begin.epoch && *e.epoch < *begin.epoch;
    if (is_of_before && !evaluated_within_) return;
    if (e.key == "eval_start") has_eval_start_ = true;
    open_.reset();
    if (is_v05_ && e.key == "eval_start") {  // how many epochs it was, the evaluation tells
      pending_ = Mark{e.time - begin.time, begin.epoch};
      return;
    }
    if (e.key == "epoch_stop" && begin.epoch && e.epoch && *e.epoch != *begin.epoch &&
        *e.epoch != *begin.epoch + 1) {
      return log_.skip(fmt::format(
          "the epoch that stops is {} and the one that started is {}: no rate for this time",
          *e.epoch, *begin.epoch));
    }
    timed_ = by_epoch_ || is_v05_                    ? "epochs"
             : has_eval_start_ && !evaluated_within_ ? "blocks of epochs"
                                                     : "blocks of epochs with evaluation";
    if (by_epoch_ && evaluated_in_epoch_) {
      unsure_s_ = e.time - begin.time;
      return;
    }
    trained(begin.epochs, e.time - begin.time);
    evaluated_within_ = false;
  }

  /// SSD and RetinaNet evaluate an epoch while the next one trains, and stop that one when the
  /// target is reached: an epoch with an evaluation in it is whole unless the run stops behind it.
  void resolve_epoch(const MlperfEvent& e) {
    const bool stops = e.key == "run_stop";
    if (!stops && e.key != "eval_start" && e.key != "epoch_start") return;
    const double wall_s = *std::exchange(unsure_s_, std::nullopt);
    if (!stops) return trained(1, wall_s);
    pending_rate_.reset();
    log_.skip("the epoch before was stopped when an evaluation reached the target: no rate for it");
  }

  void period_of_samples_ends(const MlperfEvent& e) {
    if (ended_s_ && e.key != "block_stop") resolve_ended(e);
    if (!open_) {
      if (e.key == "block_stop" && e.samples) count_ = std::max(count_, *e.samples);
      return;
    }
    const Mark begin = *std::exchange(open_, std::nullopt);
    const bool is_new = log_.steps() == 0 && count_ == 0;
    double samples = 0;
    if (begin.block_samples) {
      samples = *begin.block_samples;
    } else if (e.key == "block_stop" && e.samples && begin.samples == e.samples) {
      ended_s_ = e.time - begin.time;  // the length of the block, or the sum at its start
      return;
    } else if (e.samples) {
      // Another run trained the samples before the first block.
      const bool resumes = is_new && begin.samples && *begin.samples < *e.samples;
      if (resumes) count_ = stated_samples_ = *begin.samples;
      samples = *e.samples - count_;
    } else if (e.key == "eval_start") {
      return log_.skip("how many samples were trained is not said: no rate");
    }
    if (samples >= 1) trained_samples(samples, e.time - begin.time);
  }

  /// A block of which only the next evaluation states the samples.
  void resolve_ended(const MlperfEvent& e) {
    const double wall_s = *std::exchange(ended_s_, std::nullopt);
    const double samples = e.samples.value_or(0) - count_;
    if (samples >= 1) return trained_samples(samples, wall_s);
    log_.skip("how many samples the block before has is not said: no rate");
  }

  /// The sum that an evaluation states must be the sum of the windows.
  void compare_count(const MlperfEvent& e) {
    if (!e.samples || *e.samples <= std::max(stated_samples_, count_before_last_)) return;
    log_.compare({.name = "samples at an evaluation",
                  .value = *e.samples - stated_samples_,
                  .quantity = PrintedQuantity::samples,
                  .has_warmup = true,
                  .first_step = stated_at_step_});
    stated_samples_ = *e.samples;
    stated_at_step_ = log_.steps();
  }

  /// Some programs print the rate of a period before they state its end, others behind it.
  void take_rate(double rate) {
    PrintedFigure figure{.name = "throughput", .value = rate, .has_warmup = true};
    figure.line = line_;
    if (benchmark_ == "bert") figure.span = PrintedSpan::longer;
    if (benchmark_ == "gpt3") figure.value /= static_cast<double>(progress_.sequence_length);
    if (progress_.is_part_of_epoch || benchmark_ == "gpt3") {  // of the run, with evaluations
      figure.span = PrintedSpan::longer;
      figure.has_warmup = false;
      log_.compare(figure);
    } else if (stopped_) {
      return;  // of an epoch that did not end
    } else if (open_ || ended_s_ || unsure_s_) {
      pending_rate_ = figure;
    } else if (last_step_ >= 0) {
      compare_with_last(figure);
    }
  }

  void compare_pending_rate() {
    if (pending_rate_) compare_with_last(*std::exchange(pending_rate_, std::nullopt));
  }

  /// A period has up to 0.2 s that its rate leaves out; the first one has the start-up, too.
  void compare_with_last(PrintedFigure figure) {
    constexpr double kOverhead = 0.2;   // s
    constexpr double kOfStartUp = 0.5;  // of the rate
    figure.first_step = last_step_;
    const double of_all = figure.value * log_.start().world_size;
    const bool is_of_one = std::abs(of_all - last_rate_) < std::abs(figure.value - last_rate_);
    if (progress_.counts_batches && is_of_one) figure.value = of_all;
    figure.resolution = figure.value * (last_step_ == 0 ? kOfStartUp : kOverhead / last_wall_s_);
    log_.compare(std::move(figure));
  }

  void evaluated(const MlperfEvent& e) {
    const double epoch = e.epoch.value_or(0);
    const std::pair told(e.samples.value_or(epoch), *e.value);
    if (told == evaluation_) return log_.skip_repeated();  // by another rank
    evaluation_ = told;
    compare_count(e);
    if (!first_epoch_) first_epoch_ = std::min(epoch, 1.0);
    if (pending_) {
      const double until = std::floor(epoch - *first_epoch_) + 1;
      timed_ = "epochs";
      trained(std::max(until - done_, 1.0), pending_->time);
      pending_.reset();
    }
    // Some log a block's accuracy before its end: the block has the evaluation in it.
    if (open_ && !is_v05_ && !by_epoch_) evaluated_within_ = true;
    std::map<std::string, double> metrics;
    double after = std::clamp(epoch - *first_epoch_, 0.0, 1e9);
    if (e.samples) {
      metrics["samples_count"] = *e.samples;
      const auto of_epoch = static_cast<double>(log_.start().train_samples);
      after = of_epoch > 0 ? std::clamp(std::ceil(*e.samples / of_epoch) - 1, 0.0, 1e9) : 0;
    }
    const char* quality = mlperf_quality(benchmark_);
    if (quality != nullptr) metrics[quality] = *e.value;
    log_.add_eval(static_cast<std::int64_t>(after), quality ? std::nan("") : *e.value, std::nan(""),
                  std::move(metrics));
  }

  /// `epochs` more epochs took so long.
  void trained(double epochs, double wall_s) {
    const std::int64_t of_epoch = progress_.samples_of_epoch();
    const double first = done_;
    done_ += epochs;
    if (!(epochs >= 1 && epochs <= 1e6)) return log_.skip("no block has so many epochs");
    TimedSteps steps{.epoch = static_cast<std::int64_t>(done_) - 1};
    steps.samples = static_cast<double>(of_epoch) * epochs;
    const double count = steps.samples / static_cast<double>(log_.global_batch());
    steps.steps = count < 1e9 ? std::llround(count) : 0;
    steps.wall_s = wall_s;
    steps.warmup = first == 0;
    // Of "transformer" the global batch counts tokens, the samples are sentences.
    const bool has_steps = benchmark_ != "transformer" && of_epoch > 0;
    if (!has_steps && first == 0) log_.skip("how many steps an epoch has is not said: no rate");
    last_step_ = log_.steps();
    last_rate_ = steps.samples / wall_s;
    last_wall_s_ = wall_s;
    if (has_steps && !log_.add_steps(steps)) return;
    compare_pending_rate();
    if (epochs != 1) return;
    contract::EpochRecord record{.epoch = static_cast<int>(steps.epoch), .wall_s = wall_s};
    record.samples = of_epoch;
    record.steps = has_steps ? steps.steps : 0;
    record.train_loss = record.lr = std::nan("");
    log_.add_epoch(record);
  }

  void trained_samples(double samples, double wall_s) {
    TimedSteps steps{.samples = samples, .wall_s = wall_s};
    const double count = samples / static_cast<double>(log_.global_batch());
    steps.steps = count < 1e9 ? std::max<std::int64_t>(std::llround(count), 1) : 0;
    steps.warmup = done_samples_ == 0;
    const auto of_epoch = static_cast<double>(log_.start().train_samples);
    if (of_epoch > 0) {
      const double last = std::ceil((done_samples_ + samples) / of_epoch) - 1;
      steps.epoch = static_cast<std::int64_t>(std::clamp(last, 0.0, 1e9));
    }
    count_before_last_ = count_;
    count_ += samples;
    done_samples_ += samples;
    timed_ = "blocks of samples";
    last_step_ = log_.steps();
    last_rate_ = samples / wall_s;
    last_wall_s_ = wall_s;
    if (log_.add_steps(steps)) compare_pending_rate();
  }

  void run_stops(const MlperfEvent& e) {
    if (ended_s_ && e.samples) resolve_ended(e);
    stopped_ = true;
    if (done_ == 0 && done_samples_ == 0)
      log_.skip("no epoch ended before run_stop: there is no rate");
    const bool good = e.status == "success";
    log_.stop(good ? contract::RunOutcome::Completed : contract::RunOutcome::Failed,
              good ? "" : "run_stop says \"" + std::string(e.status.substr(0, 100)) + "\"",
              e.time - begun_->time);
  }

  CollectedLog log_;
  MlperfLines lines_;
  MlperfProgress progress_;
  std::string benchmark_;
  std::string timed_;
  std::optional<Mark> begun_, open_;
  std::optional<Mark>
      pending_;  ///< v0.5: seconds of training of which the epochs are not known yet
  std::optional<double> first_epoch_;                    ///< what the log calls the first
  std::optional<std::pair<double, double>> evaluation_;  ///< the last one's epoch and quality
  std::optional<PrintedFigure> pending_rate_;            ///< of the period under way
  double done_ = 0;                                      ///< epochs
  double done_samples_ = 0;                              ///< where the log counts samples
  double count_ = 0, count_before_last_ = 0;             ///< with those of the run before
  std::optional<double> unsure_s_;                       ///< of an epoch that may be cut short
  std::optional<double> ended_s_;                        ///< of a block whose samples come later
  double last_wall_s_ = 0;                               ///< of the last window
  double last_rate_ = 0;                                 ///< of the last window
  double stated_samples_ = 0;                            ///< at the last evaluation
  std::int64_t stated_at_step_ = 0, last_step_ = -1;     ///< of it; where the last window begins
  int line_ = 0;
  bool is_v05_ = false, by_epoch_ = false, evaluated_within_ = false, stopped_ = false;
  bool has_eval_start_ = false;
  bool evaluated_in_epoch_ = false;  ///< an evaluation ended since epoch_start
  bool counts_by_samples_ = false;   ///< of any kind
};

bool recognises(std::string_view head) {
  return any_line(head, is_mlperf_line);
}

LogContent read(std::string_view text, const contract::RunSpec& run) {
  return read_with<Reader>(text, run, {&recognises});
}

}  // namespace

extern const LogFormat mlperf_entry;
const LogFormat mlperf_entry{
    .name = "mlperf",
    .summary = "MLPerf Training's lines (:::MLLOG, :::MLL, :::MLPv0.5.0) in any output",
    .rates =
        "of all accelerators: training samples of an epoch or a block over its wall time, waiting "
        "for data included, evaluation not (but where only blocks with evaluation are timed); the "
        "first epoch or block is marked as warm-up",
    .cross_check =
        "throughput and imgs_sec of tracked_stats with the epoch or block that they belong to "
        "(BERT, DLRM "
        "and graph benchmarks: only a bound, because evaluations are in them); samples_count of "
        "eval_start with the sum of the blocks",
    .file = "stdout",
    .needs_run = true,
    .recognises = &recognises,
    .read = &read,
    .tells_end = true,
};

}  // namespace dlscale::analysis
