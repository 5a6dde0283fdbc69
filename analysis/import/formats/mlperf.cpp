// SPDX-License-Identifier: Apache-2.0
// Reads logs of MLPerf Training: epochs and blocks of training, evaluations and the end of the run.
// The reader measures the time of these periods of training:
// - A whole epoch lasts from epoch_start to epoch_stop.
// - A block of epochs (first_epoch_num, epoch_count) lasts from block_start to block_stop. A block
//   that ends with its evaluation lasts until eval_start.
// - In v0.5 an epoch is the time between train_epoch, eval_start and eval_stop lines.
// The environment value "timed" of the run names the kind of period. mlperf_progress.hpp describes
// other units of progress.
// A line eval_start does not always end the training. Programs on TPU dispatch an evaluation when
// they start a block, and Stable Diffusion evaluates after the training. The reader therefore
// assumes that an evaluation ends a block only if the following lines agree. It assumes that the
// training resumes at eval_stop only if the evaluation interrupted the training. A period is left
// out with a message if its number of samples or its end is unknown. The checks of
// mlperf_coverage.hpp decide whether the windows are plausible.
// "throughput" (or "imgs_sec") of tracked_stats is compared with the windows. Each of these two
// values is a rate of all accelerators over the previous period, with these exceptions:
// - SSD and RetinaNet print the rate of one accelerator (of all accelerators in some logs of v5.1).
// - The rate of BERT counts the time of the evaluation before the period.
// - The rates of DLRM and of the graph benchmarks count the time of all evaluations of the run.
// "input_batch_size" of v0.5 is ignored, because some programs state the batch of one device and
// others the batch of all devices.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/import/formats/mlperf_coverage.hpp"
#include "analysis/import/formats/mlperf_lines.hpp"
#include "analysis/import/formats/mlperf_progress.hpp"
#include "analysis/import/reading/collected_log.hpp"

namespace dlscale::analysis {
namespace {

/// Maximum number of seconds between the lines of two ranks about the same event.
constexpr double kSameEvent = 0.05;
/// Minimum duration of a period, as a fraction of the duration of the previous period. A shorter
/// period is joined to the next period. Logs round fractions of an epoch and may state the same
/// fraction twice (0.99 and 1), which causes such short periods.
constexpr double kTooShort = 0.1;

class MlperfLogReader {
 public:
  explicit MlperfLogReader(const contract::RunSpec& run) : log_(run, "mlperf") {}

  void read_line(const LogLine& line) {
    if (line.text.find(kMlperfMark) == line.text.npos) return;
    line_ = line.number;
    MlperfEvent event;
    if (!lines_.read(line, event)) {
      return line.complete ? log_.skip("no valid MLPerf line follows the MLPerf mark")
                           : log_.cut_off();
    }
    if (!event.benchmark.empty()) set_benchmark(std::string(event.benchmark));
    progress_.train_samples = log_.start().train_samples;
    progress_.global_batch = log_.knows_batch() ? log_.global_batch() : 0;
    progress_.is_first_epoch = by_epoch_ && done_ == 0;
    progress_.find_samples(event);
    if (!reported(event)) timed(event);
  }

  /// Sets the benchmark. Some programs name it only in their last lines.
  void set_benchmark(const std::string& name) {
    benchmark_ = progress_.benchmark = name;
    log_.fact("model", benchmark_);
  }

  LogContent finish() {
    if (const auto reason = coverage_.contradiction()) log_.reject_rate(*reason);
    if (benchmark_.starts_with("dlrm") && done_ > 1) {
      log_.reject_rate("DLRM trains about one epoch, so its block numbers are not epoch numbers");
    }
    if (!timed_.empty()) log_.start().environment["timed"] = timed_;
    return log_.finish();
  }
  CollectedLog& log() { return log_; }

 private:
  /// Reads a line about the run as a whole. Returns false for any other line.
  bool reported(const MlperfEvent& e) {
    const std::string_view key = e.key;
    const auto whole = static_cast<std::int64_t>(std::clamp(e.value.value_or(0), 0.0, 9e15));
    if (key == "submission_benchmark") {
      set_benchmark(std::string(e.text));
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
    if (stopped_) {  // a period without its end is incomplete
      if (e.key == "run_start") log_.skip_repeated();
      return;
    }
    if (unsure_) resolve_epoch(e);
    if (e.key == "run_start") {
      run_starts(e);
    } else if (!begun_) {
      return;  // lines of a rehearsal before the run
    } else if (e.key == "epoch_start" || e.key == "block_start" || e.key == "train_loop" ||
               e.key == "train_epoch") {
      period_starts(e);
    } else if (e.key == "epoch_stop" || e.key == "eval_start" || e.key == "block_stop") {
      if (e.key == "eval_start") coverage_.evaluation_starts(e.time);
      period_ends(e);
      if (e.key == "eval_start") compare_count(e);
    } else if (e.key == "eval_stop") {
      evaluation_stops(e);
    } else if (e.key == "eval_accuracy" && e.value) {
      evaluated(e);
    } else if (e.key == "run_stop") {
      run_stops(e);
    }
  }

  /// Period of training whose start has been read and whose end has not been read.
  struct Period {
    TimeSpan until(double end_s) const { return {begin_s, end_s}; }

    double begin_s = 0;
    std::optional<double> epoch;
    double epochs = 1;
    std::optional<double> samples = {};        ///< samples that the opening line states
    std::optional<double> block_samples = {};  ///< samples of the block in the opening line
    bool is_block = false;                     ///< true if block_start opened the period
    bool resumes = false;  ///< true if the end of an evaluation opened the period
    /// True if an evaluation of earlier weights started in the period. Only block_stop then states
    /// the end of the period.
    bool hides_end = false;
    int evaluations = 0;            ///< number of evaluations that started in the period
    double evaluation_begin_s = 0;  ///< start of the first evaluation
    double evaluation_end_s = 0;    ///< end of the last evaluation
    std::optional<double> evaluation_epoch = {};
  };

  void run_starts(const MlperfEvent& e) {
    begun_s_ = e.time;
    begun_ = true;
    log_.start().time = e.time;
    open_.reset();
    unsure_.reset();
    ended_.clear();
    carried_.clear();
    first_epoch_.reset();
    done_ = done_samples_ = count_ = 0;
  }

  void period_starts(const MlperfEvent& e) {
    is_v05_ = e.key.starts_with("train_");
    coverage_.period_starts(e.time);
    if (e.samples || e.block_samples || benchmark_ == "bert") counts_by_samples_ = true;
    if (e.key == "train_epoch" && open_ && open_->epoch) period_ends(e);  // v0.5 has no epoch_stop
    if (e.key == "epoch_start") by_epoch_ = true;
    const bool is_block = e.key == "block_start";
    if (is_block && by_epoch_ && !counts_by_samples_) return;
    if (is_block && open_ && open_->is_block && restarts(e)) return log_.skip_repeated();
    if (is_block && !ended_.empty() && starts_with_sums_ && e.samples) resolve_ended(e);
    pending_rate_.reset();
    evaluated_in_epoch_ = false;
    resumes_after_evaluation_ = false;
    if (!first_epoch_ && e.epoch) first_epoch_ = std::min(*e.epoch, 1.0);
    if (is_block && !counts_by_samples_ && e.epoch && *e.epoch != std::floor(*e.epoch)) {
      log_.reject_rate(
          "the block starts within an epoch, but the earlier blocks cover whole epochs");
    }
    if (is_block && e.samples && !has_block_) starts_with_sums_ = *e.samples == 0;
    has_block_ = has_block_ || is_block;
    open_ = Period{e.time,    e.epoch,         is_block ? e.epochs.value_or(1) : 1,
                   e.samples, e.block_samples, is_block};
  }

  /// Handles a block that starts while another block is open. If the open block has an evaluation,
  /// the block ends with the evaluation. Otherwise the end of the open block is unknown. Returns
  /// true if the line comes from another rank and describes the same block.
  bool restarts(const MlperfEvent& e) {
    if (e.epoch == open_->epoch && e.samples == open_->samples &&
        e.time - open_->begin_s < kSameEvent) {
      return true;
    }
    if (!counts_by_samples_ && !stops_blocks_ && open_->evaluations > 0) {
      block_ends(e);
    } else {
      leave_out_open(
          e.time, "a block starts before the previous block stops: no rate for the previous block");
    }
    return false;
  }

  void leave_out_open(double end_s, std::string_view why) {
    leave_out(std::exchange(open_, std::nullopt)->until(end_s), why);
  }

  /// Leaves out a time span whose number of samples is unknown. Because of this span, the sum of
  /// samples is also unknown.
  void leave_out(const TimeSpan& span, std::string_view why) {
    coverage_.leave_out(span);
    knows_count_ = is_complete_ = false;
    log_.skip(why);
  }

  void period_ends(const MlperfEvent& e) {
    if (e.key == "block_stop") stops_blocks_ = true;
    if (e.samples || e.block_samples) counts_by_samples_ = true;
    if (counts_by_samples_) return period_of_samples_ends(e);
    if (is_v05_) return period_of_v05_ends(e);
    if (!open_) return;
    if (e.key == "eval_start") return evaluation_starts_in_period(e);
    if (by_epoch_) {
      if (e.key == "epoch_stop") epoch_ends(e);
      return;
    }
    // A block may be evaluated while the next block trains. Its block_stop line then follows the
    // block_start line of the next block.
    const bool is_of_before =
        e.key == "block_stop" && e.epoch && open_->epoch && *e.epoch < *open_->epoch;
    if (!is_of_before || evaluated_within_) block_ends(e);
  }

  void evaluation_starts_in_period(const MlperfEvent& e) {
    has_eval_start_ = true;
    const bool is_of_before = by_epoch_ && e.epoch && open_->epoch && *e.epoch < *open_->epoch;
    if (is_of_before) return;
    if (open_->evaluations++ == 0) open_->evaluation_begin_s = e.time;
    open_->evaluation_end_s = e.time;
    open_->evaluation_epoch = e.epoch;
  }

  void evaluation_stops(const MlperfEvent& e) {
    coverage_.evaluation_stops(e.time);
    evaluated_in_epoch_ = evaluated_in_epoch_ || (by_epoch_ && open_);
    note_evaluation_end(e);
    if (is_v05_ || (counts_by_samples_ && !open_ && resumes_after_evaluation_)) {
      open_ = Period{e.time, {}};
      open_->resumes = true;
    }
  }

  /// Records the end of an evaluation. An evaluation of earlier weights may also end in the period.
  void note_evaluation_end(const MlperfEvent& e) {
    const bool is_other = open_ && e.epoch && open_->evaluation_epoch &&  //
                          *e.epoch != *open_->evaluation_epoch;
    if (open_ && open_->evaluations > 0 && !is_other) open_->evaluation_end_s = e.time;
  }

  /// Returns the time at which the training of a period ended. `e` is the line that ends the
  /// period. If the part of the period before the evaluation is at least as long as the part after
  /// the evaluation, the evaluation followed the training. The training then ended when the
  /// evaluation started. Otherwise the evaluation used weights from before the period or ran during
  /// the training. The times of training and evaluation cannot be separated in this case, so the
  /// function returns the end of the period.
  double training_end(const Period& period, const MlperfEvent& e) {
    const bool is_end = period.evaluations == 1 && period.evaluation_begin_s - period.begin_s >=
                                                       e.time - period.evaluation_end_s;
    if (is_end) return period.evaluation_begin_s;
    evaluated_within_ = evaluated_within_ || period.evaluations > 0;
    return e.time;
  }

  void period_of_v05_ends(const MlperfEvent& e) {
    if (!open_ || (by_epoch_ && e.key != "epoch_stop")) return;
    const Period period = *std::exchange(open_, std::nullopt);
    if (e.key == "eval_start") {  // the line of the evaluation result states the number of epochs
      has_eval_start_ = true;
      pending_ = period.until(e.time);
      return;
    }
    timed_ = "epochs";
    trained(period.epochs, period.until(e.time));
    evaluated_within_ = false;
  }

  void epoch_ends(const MlperfEvent& e) {
    const Period period = *std::exchange(open_, std::nullopt);
    if (period.epoch && e.epoch && *e.epoch != *period.epoch && *e.epoch != *period.epoch + 1) {
      return leave_out(period.until(e.time),
                       fmt::format("epoch {} stops, but epoch {} started: no rate for this time",
                                   *e.epoch, *period.epoch));
    }
    timed_ = "epochs";
    const double end_s = training_end(period, e);
    const bool is_evaluated = end_s < e.time;
    if (evaluated_in_epoch_ && !is_evaluated) {
      unsure_ = period.until(e.time);
      return;
    }
    trained(period.epochs, period.until(end_s));
    evaluated_within_ = false;
  }

  void block_ends(const MlperfEvent& e) {
    const Period period = *std::exchange(open_, std::nullopt);
    const double end_s = training_end(period, e);
    timed_ = has_eval_start_ && !evaluated_within_ ? "blocks of epochs"
                                                   : "blocks of epochs with evaluation";
    trained(period.epochs, period.until(end_s));
    evaluated_within_ = false;
  }

  /// Decides whether the last epoch, during which an evaluation ended, is complete. SSD and
  /// RetinaNet evaluate an epoch while the next epoch trains, and they stop the next epoch early if
  /// the evaluation reaches the target. The last epoch is complete unless the run stops after it.
  void resolve_epoch(const MlperfEvent& e) {
    const bool stops = e.key == "run_stop";
    if (!stops && e.key != "eval_start" && e.key != "epoch_start") return;
    const TimeSpan span = *std::exchange(unsure_, std::nullopt);
    if (!stops) return trained(1, span);
    pending_rate_.reset();
    log_.skip(
        "the previous epoch stopped when an evaluation reached the target: no rate for the "
        "previous epoch");
  }

  void period_of_samples_ends(const MlperfEvent& e) {
    const bool is_evaluation = e.key == "eval_start";
    if (is_evaluation && !ended_.empty()) {
      resolve_ended(e);
      if (open_) open_->hides_end = true;
      return;
    }
    if (!open_) return block_without_start_ends(e);
    if (is_evaluation && e.samples && *e.samples < count_ + 1) open_->hides_end = true;
    if (is_evaluation && open_->hides_end) return;
    // Ignores the end of a block that an evaluation has already ended.
    if (open_->resumes && !is_evaluation && e.samples.value_or(0) < count_ + 1) return;
    const Period period = *std::exchange(open_, std::nullopt);
    const TimeSpan span = period.until(e.time);
    resumes_after_evaluation_ = is_evaluation;
    evaluated_within_ = period.hides_end;
    if (period.block_samples) return trained_samples(*period.block_samples, {span});
    if (e.key == "block_stop" && e.samples && period.samples == e.samples) {
      // The stated number is either the length of the block or the sum of samples at its start. A
      // later line shows which of the two it is.
      ended_.push_back(span);
      coverage_.period_ends(e.time);
      return;
    }
    if (!e.samples) {
      return leave_out(
          span, "the log does not state how many samples were trained: no rate for this time");
    }
    find_count_before(period, *e.samples);
    if (!knows_count_) {
      know_count(*e.samples);
      return leave_out_known(
          span,
          "the log does not state how many samples were trained before this block: no rate for "
          "this block");
    }
    sum_reached(*e.samples, span);
  }

  /// Sets the number of samples before a block to the number that block_start states. This number
  /// can exceed the sum of the windows, because another run trained the samples or because the time
  /// of the samples was left out.
  void find_count_before(const Period& period, double sum) {
    if (!period.samples || !(*period.samples < sum)) return;
    const bool is_first = log_.steps() == 0 && count_ == 0;
    const bool is_sum =
        starts_with_sums_ ? *period.samples > count_ : !knows_count_ && *period.samples >= count_;
    if (is_first) stated_samples_ = *period.samples;
    if (is_first || is_sum) know_count(*period.samples);
  }

  void know_count(double samples) {
    count_ = samples;
    knows_count_ = true;
  }

  void leave_out_known(const TimeSpan& span, std::string_view why) {
    leave_out(span, why);
    knows_count_ = true;
  }

  void block_without_start_ends(const MlperfEvent& e) {
    if (e.key != "block_stop" || !e.samples || *e.samples < count_ + 1) return;
    know_count(*e.samples);
    log_.skip(
        "the log does not state when the block that stops here started: no rate for this "
        "block");
  }

  void sum_reached(double sum, const TimeSpan& span) {
    const double samples = sum - count_;
    if (samples < 1)
      return leave_out(span,
                       "according to the numbers of the log, no samples were trained in "
                       "this time: no rate");
    carried_.insert(carried_.end(), ended_.begin(), ended_.end());
    ended_.clear();
    carried_.push_back(span);
    const bool is_short = last_step_ > 0 && span.seconds() < kTooShort * last_wall_s_;
    if (progress_.is_part_of_epoch && is_short) return;
    trained_samples(samples, std::exchange(carried_, {}));
  }

  /// Adds the ended blocks, whose number of samples only the later line `e` states.
  void resolve_ended(const MlperfEvent& e) {
    const std::vector<TimeSpan> spans = std::exchange(ended_, {});
    const double samples = e.samples.value_or(0) - count_;
    if (samples >= 1 && knows_count_) return trained_samples(samples, spans);
    for (const TimeSpan& span : spans) {
      leave_out(span,
                "the log does not state how many samples the previous block has: no rate for the "
                "previous block");
    }
    if (samples >= 1) know_count(*e.samples);
  }

  /// Compares the number of samples that an evaluation states with the sum of the windows since the
  /// previous evaluation.
  void compare_count(const MlperfEvent& e) {
    if (!e.samples || *e.samples <= std::max(stated_samples_, count_before_last_)) return;
    if (!carried_.empty()) return;
    const bool is_complete = std::exchange(is_complete_, true);
    if (is_complete) compare_count_of(e);
    stated_samples_ = *e.samples;
    stated_at_step_ = log_.steps();
  }

  void compare_count_of(const MlperfEvent& e) {
    log_.compare({.name = "samples at an evaluation",
                  .value = *e.samples - stated_samples_,
                  .quantity = PrintedQuantity::samples,
                  .has_warmup = true,
                  .first_step = stated_at_step_});
  }

  /// Compares a printed rate with the windows. Some programs print the rate of a period before the
  /// end of the period, and others print it after the end.
  void take_rate(double rate) {
    PrintedFigure figure{.name = "throughput", .value = rate, .has_warmup = true};
    figure.line = line_;
    if (benchmark_ == "bert") figure.span = PrintedSpan::longer;
    if (benchmark_ == "gpt3") figure.value /= static_cast<double>(progress_.sequence_length);
    if (progress_.is_part_of_epoch || benchmark_ == "gpt3") {  // the rate includes evaluations
      figure.span = PrintedSpan::longer;
      figure.has_warmup = false;
      log_.compare(figure);
    } else if (stopped_) {
      return;  // the rate belongs to an epoch that did not end
    } else if (open_ || !ended_.empty() || unsure_) {
      pending_rate_ = figure;
    } else if (last_step_ >= 0) {
      compare_with_last(figure);
    }
  }

  void compare_pending_rate() {
    if (pending_rate_) compare_with_last(*std::exchange(pending_rate_, std::nullopt));
  }

  /// Compares a rate with the last window. The time of a rate may be up to 0.2 s shorter than the
  /// window. The first period is not compared, because it is warm-up and programs differ in the
  /// part of the start-up that they count.
  void compare_with_last(PrintedFigure figure) {
    constexpr double kOverhead = 0.2;  // seconds
    if (last_step_ == 0) return;
    figure.first_step = last_step_;
    const double of_all = figure.value * log_.start().world_size;
    const bool is_of_one = std::abs(of_all - last_rate_) < std::abs(figure.value - last_rate_);
    if (progress_.counts_batches && is_of_one) figure.value = of_all;
    figure.resolution = figure.value * kOverhead / last_wall_s_;
    log_.compare(std::move(figure));
  }

  void evaluated(const MlperfEvent& e) {
    const double epoch = e.epoch.value_or(0);
    const std::pair reported(e.samples.value_or(epoch), *e.value);
    if (reported == evaluation_) return log_.skip_repeated();  // line of another rank
    evaluation_ = reported;
    coverage_.evaluated(e.time);
    note_evaluation_end(e);
    compare_count(e);
    if (!first_epoch_) first_epoch_ = std::min(epoch, 1.0);
    if (pending_) {
      const double until = std::floor(epoch - *first_epoch_) + 1;
      timed_ = "epochs";
      trained(std::max(until - done_, 1.0), *pending_);
      pending_.reset();
    }
    // Some programs log the accuracy of a block before its end, so the block includes the
    // evaluation.
    if (open_ && !is_v05_ && !by_epoch_ && open_->evaluations == 0) evaluated_within_ = true;
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

  /// Adds a window for the next `epochs` epochs.
  void trained(double epochs, const TimeSpan& span) {
    const std::int64_t of_epoch = progress_.samples_of_epoch();
    const double first = done_, wall_s = span.seconds();
    done_ += epochs;
    coverage_.period_ends(span.end_s);
    if (!(epochs >= 1 && epochs <= 1e6))
      return leave_out(span, "the number of epochs is out of range");
    TimedSteps steps{.epoch = static_cast<std::int64_t>(done_) - 1};
    steps.samples = static_cast<double>(of_epoch) * epochs;
    const double count = steps.samples / static_cast<double>(log_.global_batch());
    steps.steps = count < 1e9 ? std::llround(count) : 0;
    steps.wall_s = wall_s;
    steps.warmup = first == 0;
    const bool counts_tokens = benchmark_ == "transformer";
    const bool has_steps = !counts_tokens && of_epoch > 0;
    if (!has_steps && first == 0) {
      log_.skip(
          counts_tokens
              ? "the global batch counts tokens, but the epoch counts sentences: no rate"
              : "the log does not state how many samples an epoch has: no rate. State them with "
                "--set train_samples=N");
    }
    if (has_steps && !add_window(steps, {span})) return;
    compare_pending_rate();
    if (epochs != 1) return;
    contract::EpochRecord record{.epoch = static_cast<int>(steps.epoch), .wall_s = wall_s};
    record.samples = of_epoch;
    record.steps = has_steps ? steps.steps : 0;
    record.train_loss = record.lr = std::nan("");
    log_.add_epoch(record);
  }

  void trained_samples(double samples, const std::vector<TimeSpan>& spans) {
    TimedSteps steps{.samples = samples};
    for (const TimeSpan& span : spans) steps.wall_s += span.seconds();
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
    if (evaluated_within_) timed_ = "blocks of samples with evaluation";
    if (timed_.empty()) timed_ = "blocks of samples";
    evaluated_within_ = false;
    coverage_.period_ends(spans.back().end_s);
    if (add_window(steps, spans)) compare_pending_rate();
  }

  bool add_window(const TimedSteps& steps, const std::vector<TimeSpan>& spans) {
    last_step_ = log_.steps();
    last_rate_ = steps.samples / steps.wall_s;
    last_wall_s_ = steps.wall_s;
    if (!log_.add_steps(steps)) return false;
    coverage_.add_window(spans, steps.samples, steps.warmup, line_);
    return true;
  }

  void run_stops(const MlperfEvent& e) {
    if (!ended_.empty()) resolve_ended(e);
    if (open_ && open_->is_block && !by_epoch_) stop_open_block(e);
    for (const TimeSpan& span : carried_) {
      leave_out(span, "the last samples took too little time for a rate");
    }
    stopped_ = true;
    if (done_ == 0 && done_samples_ == 0)
      log_.skip("no epoch ended before run_stop: there is no rate");
    const bool good = e.status == "success";
    log_.stop(good ? contract::RunOutcome::Completed : contract::RunOutcome::Failed,
              good ? "" : "run_stop reports \"" + std::string(e.status.substr(0, 100)) + "\"",
              e.time - begun_s_);
  }

  /// Ends the open block at run_stop. A block of epochs without block_stop ends with its
  /// evaluation.
  void stop_open_block(const MlperfEvent& e) {
    const bool is_evaluated = !counts_by_samples_ && !stops_blocks_ &&
                              training_end(*open_, e) == open_->evaluation_begin_s;
    if (is_evaluated) return block_ends(e);
    leave_out_open(e.time, "a block had not stopped before run_stop: no rate for this block");
  }

  CollectedLog log_;
  MlperfLines lines_;
  MlperfProgress progress_;
  std::string benchmark_;
  std::string timed_;
  MlperfCoverage coverage_;
  double begun_s_ = 0;
  std::optional<Period> open_;
  std::optional<TimeSpan> pending_;    ///< v0.5: training span whose epochs are not yet known
  std::optional<TimeSpan> unsure_;     ///< epoch that an evaluation may have stopped early
  std::vector<TimeSpan> ended_;        ///< blocks whose samples a later line states
  std::vector<TimeSpan> carried_;      ///< short periods that are joined to the next period
  std::optional<double> first_epoch_;  ///< number that the log uses for the first epoch
  std::optional<std::pair<double, double>> evaluation_;  ///< last evaluation: epoch and quality
  std::optional<PrintedFigure> pending_rate_;            ///< rate of the current period
  double done_ = 0;                                      ///< number of finished epochs
  double done_samples_ = 0;                   ///< number of samples, if the log counts samples
  double count_ = 0, count_before_last_ = 0;  ///< samples, including samples of a previous run
  double last_wall_s_ = 0;                    ///< seconds of the last window
  double last_rate_ = 0;                      ///< samples/s of the last window
  double stated_samples_ = 0;                 ///< samples stated at the last evaluation
  /// First step after the last evaluation, and first step of the last window.
  std::int64_t stated_at_step_ = 0, last_step_ = -1;
  int line_ = 0;
  bool begun_ = false, stopped_ = false;
  bool is_v05_ = false, by_epoch_ = false, has_eval_start_ = false, has_block_ = false;
  bool evaluated_within_ = false;    ///< true if an evaluation ran within the period
  bool evaluated_in_epoch_ = false;  ///< true if an evaluation ended since epoch_start
  bool counts_by_samples_ = false;   ///< true if the log counts progress in samples
  bool stops_blocks_ = false;        ///< true if the log has block_stop lines
  bool starts_with_sums_ = false;    ///< true if block_start states sums of samples
  bool knows_count_ = true;          ///< true if `count_` is correct
  bool is_complete_ = true;          ///< true if no samples were left out since the last evaluation
  bool resumes_after_evaluation_ = false;  ///< true if an evaluation interrupted the training
};

bool recognises(std::string_view head) {
  return any_line(head, is_mlperf_line);
}

/// Returns the name of the benchmark, or an empty text if no line names it. All lines are searched,
/// because programs on TPU name the benchmark in their last lines.
std::string named_benchmark(std::string_view text) {
  constexpr std::string_view kKey = "submission_benchmark";
  MlperfLines lines;
  for (std::size_t at = text.find(kKey); at != text.npos; at = text.find(kKey, at + 1)) {
    const std::size_t begin = text.rfind('\n', at) + 1;  // npos + 1 is 0
    LogLine line{.text = text.substr(begin, text.find('\n', at) - begin)};
    MlperfEvent event;
    if (!lines.read(line, event) || event.key != kKey || event.text.empty()) continue;
    return std::string(event.text);
  }
  return "";
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  MlperfLogReader reader(run);
  if (const std::string name = named_benchmark(text); !name.empty()) reader.set_benchmark(name);
  take_lines(text, reader.log(), [&](const LogLine& line) { reader.read_line(line); },
             {&recognises});
  return reader.finish();
}

}  // namespace

extern const LogFormat mlperf_entry;
const LogFormat mlperf_entry{
    .name = "mlperf",
    .summary =
        "lines of MLPerf Training (:::MLLOG, :::MLL, :::MLPv0.5.0) in the output of any "
        "program",
    .rates =
        "The rate is for all accelerators: the training samples of an epoch or a block divided by "
        "its wall time. It includes waiting for data and excludes evaluations (unless the "
        "environment value \"timed\" says that evaluations are included). The first epoch or "
        "block is marked as warm-up.",
    .cross_check =
        "throughput and imgs_sec of tracked_stats are compared with the rate of their epoch or "
        "block. The first epoch or block is not compared. For BERT, DLRM and graph benchmarks "
        "these values are only a bound, because their time includes evaluations. samples_count of "
        "eval_start is compared with the sum of the blocks. The total time of the epochs or blocks "
        "is compared with the time from the start of the first epoch or block to the end of the "
        "last epoch or block. The overall rate is compared with the rate of the fastest epoch or "
        "block.",
    .file = "stdout",
    .needs_run = true,
    .recognises = &recognises,
    .read = &read_log,
    .tells_end = true,
};

}  // namespace dlscale::analysis
