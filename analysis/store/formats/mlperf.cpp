// SPDX-License-Identifier: Apache-2.0
// Logs of MLPerf Training: ":::MLLOG {…}" (from v0.6 on) and ":::MLPv0.5.0 …" lines among others.
//
// Both are defined by mlcommons/logging (mlperf_logging/mllog) and the rules of
// mlcommons/training_policies. Times are a clock's in the log; what the trainer itself calls its
// throughput (tracked_stats) is not needed. From v0.6 on an epoch's time is epoch_stop -
// epoch_start, a block's (several epochs, where a log has no others) block_start to eval_start. In
// v0.5 it is what lies between train_epoch, eval_start and eval_stop lines. Logs without either
// have blocks with the evaluation in them; the environment's "timed" tells them apart.
//
// Of v0.5 "input_batch_size" is not read: some mean that of a device, others that of all.
#include <algorithm>
#include <array>
#include <optional>

#include "analysis/store/formats/collected_log.hpp"
#include "analysis/store/formats/json_object.hpp"
#include "analysis/store/formats/text_scanner.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::string_view kMark = ":::ML";
constexpr std::string_view kLog = "LOG ";         // behind the mark, with JSON
constexpr std::string_view kLogV05 = "Pv0.5.0 ";  // behind the mark

/// One line, whichever way it was written; what it leaves out is empty.
struct Event {
  std::string_view key;
  double time = 0;  ///< s
  std::optional<double> value;
  std::optional<double> epoch;   ///< epoch_num, first_epoch_num
  std::optional<double> epochs;  ///< of a block
  std::string_view text;         ///< a value that is text
  std::string_view status;
};

/// What the quality of a benchmark is called when it is no top-1 accuracy.
const char* quality_of(std::string_view benchmark) {
  constexpr std::array<std::pair<std::string_view, const char*>, 9> kQualities{
      {{"gnmt", "bleu"},
       {"transformer", "bleu"},
       {"ssd", "map"},
       {"maskrcnn", "map"},
       {"dlrm", "auc"},
       {"bert", "mlm_accuracy"},
       {"ncf", "hit_rate"},
       {"minigo", "win_rate"},
       {"rnnt", "wer"}}};
  for (const auto& [name, quality] : kQualities) {
    if (benchmark == name) return quality;
  }
  return benchmark == "resnet" ? nullptr : "quality";
}

class Reader {
 public:
  explicit Reader(const contract::RunSpec& run) : log_(run, "mlperf") {}

  void take(const LogLine& line) {
    TextScanner scanner(line.text);
    Event event;
    if (!scanner.find(kMark)) return;
    if (scanner.skip(kLog)) {
      if (!json_.read(scanner.rest())) return broken(line);
      read_event(event);
    } else if (scanner.skip(kLogV05)) {
      if (!line.complete || !read_v05(scanner, event)) return broken(line);
    } else {
      return broken(line);
    }
    if (!told(event)) timed(event);
  }

  LogContent finish() {
    if (!timed_.empty()) log_.start().environment["timed"] = timed_;
    return log_.finish();
  }
  CollectedLog& log() { return log_; }

 private:
  void broken(const LogLine& line) {
    line.complete ? log_.skip("no line of MLPerf's after its mark") : log_.cut_off();
  }

  void read_event(Event& event) {
    event.key = json_.text("key").value_or("");
    event.time = json_.number("time_ms").value_or(0) / 1000;
    event.value = json_.number("value");
    event.text = json_.text("value").value_or("");
    event.epoch = json_.number("metadata/epoch_num");
    if (!event.epoch) event.epoch = json_.number("metadata/first_epoch_num");
    event.epochs = json_.number("metadata/epoch_count");
    event.status = json_.text("metadata/status").value_or("");
  }

  /// "resnet 1541213547.25 (file:27) key: value": the value is JSON.
  bool read_v05(TextScanner& scanner, Event& event) {
    scanner.skip_blanks();
    benchmark_ = scanner.until(" ");
    log_.fact("model", benchmark_);
    if (!scanner.number(event.time) || !scanner.skip("(") || !scanner.find(") ")) return false;
    event.key = scanner.until(": \t");
    double value = 0;
    if (event.key == "run_stop") event.status = "success";  // unless it says otherwise
    if (!scanner.skip(":")) return true;
    scanner.skip_blanks();
    if (whole_number(scanner.rest(), value)) {
      event.value = value;
    } else if (scanner.rest().starts_with('{')) {
      if (!json_.read(scanner.rest())) return false;
      event.value = json_.number("value");
      event.epoch = json_.number("epoch");
      if (json_.has("success"))
        event.status =
            scanner.rest().find("true") != std::string_view::npos ? "success" : "aborted";
    }
    if (event.key == "train_epoch") event.epoch = event.value;
    return true;
  }

  /// What lines say of the run as a whole. False: it is another line.
  bool told(const Event& e) {
    const std::string_view key = e.key;
    const auto whole = static_cast<std::int64_t>(std::clamp(e.value.value_or(0), 0.0, 9e15));
    if (key == "submission_benchmark") {
      benchmark_ = e.text;
      log_.fact("model", benchmark_);
    } else if (key == "global_batch_size") {
      log_.fact("global_batch", whole);
    } else if (key == "train_samples" || key == "preproc_num_train_examples") {
      log_.start().train_samples = whole;
    } else if (key == "eval_samples" || key == "preproc_num_eval_examples") {
      log_.start().test_samples = whole;
    } else if (key == "submission_platform") {
      log_.start().environment.emplace("platform", e.text);
    } else if (key == "gradient_accumulation_steps") {
      log_.fact("accumulation_steps", whole);
    } else if (key == "opt_name") {
      log_.fact("optimizer", std::string(e.text));
    } else {
      return false;
    }
    return true;
  }

  void timed(const Event& e) {
    if (stopped_) {  // what is under way then is not complete
      if (e.key == "run_start") log_.skip_repeated();
      return;
    }
    if (e.key == "run_start") {
      begun_ = Mark{e.time, {}};
      log_.start().time = e.time;
      open_.reset();
      first_epoch_.reset();
      done_ = 0;
    } else if (!begun_) {
      return;  // a rehearsal before the run
    } else if (e.key == "epoch_start" || e.key == "block_start" || e.key == "train_loop" ||
               e.key == "train_epoch") {
      period_starts(e);
    } else if (e.key == "epoch_stop" || e.key == "eval_start" || e.key == "block_stop") {
      period_ends(e);
    } else if (e.key == "eval_stop") {
      if (is_v05_) open_ = Mark{e.time, {}};
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
  };

  void period_starts(const Event& e) {
    is_v05_ = e.key.starts_with("train_");
    if (e.key == "train_epoch" && open_ && open_->epoch) period_ends(e);  // the one before ends
    if (e.key == "epoch_start") by_epoch_ = true;
    if (e.key == "block_start" && by_epoch_) return;
    if (!first_epoch_ && e.epoch) first_epoch_ = std::min(*e.epoch, 1.0);
    open_ = Mark{e.time, e.epoch, e.key == "block_start" ? e.epochs.value_or(1) : 1};
  }

  void period_ends(const Event& e) {
    if (by_epoch_ && e.key != "epoch_stop") return;
    if (e.key == "block_stop" && !evaluated_within_) return;
    if (!open_) return;
    const Mark begin = *open_;
    open_.reset();
    if (is_v05_ && e.key == "eval_start") {  // how many epochs it was, the evaluation tells
      pending_ = Mark{e.time - begin.time, begin.epoch};
      return;
    }
    timed_ = by_epoch_ || is_v05_    ? "epochs"
             : e.key == "eval_start" ? "blocks of epochs"
                                     : "blocks of epochs with evaluation";
    trained(begin.epochs, e.time - begin.time);
    evaluated_within_ = false;
  }

  void evaluated(const Event& e) {
    const double epoch = e.epoch.value_or(0);
    const std::pair told(epoch, *e.value);
    if (told == evaluation_) return log_.skip_repeated();  // by another rank
    evaluation_ = told;
    if (!first_epoch_) first_epoch_ = std::min(epoch, 1.0);
    if (pending_) {
      const double until = std::floor(epoch - *first_epoch_) + 1;
      timed_ = "epochs";
      trained(std::max(until - done_, 1.0), pending_->time);
      pending_.reset();
    }
    // Some log a block's accuracy before its end: the block has the evaluation in it.
    if (open_ && !is_v05_ && !by_epoch_) evaluated_within_ = true;
    const auto after = static_cast<std::int64_t>(std::clamp(epoch - *first_epoch_, 0.0, 1e9));
    const char* quality = quality_of(benchmark_);
    if (quality == nullptr) {
      log_.add_eval(after, *e.value, std::nan(""));
    } else {
      log_.add_eval(after, std::nan(""), std::nan(""), {{quality, *e.value}});
    }
  }

  /// `epochs` more epochs took so long.
  void trained(double epochs, double wall_s) {
    const std::int64_t of_epoch = log_.start().train_samples;
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
    if (has_steps && !log_.add_steps(steps)) return;
    if (epochs != 1) return;
    contract::EpochRecord record{.epoch = static_cast<int>(steps.epoch), .wall_s = wall_s};
    record.samples = of_epoch;
    record.steps = has_steps ? steps.steps : 0;
    record.train_loss = record.lr = std::nan("");
    log_.add_epoch(record);
  }

  void run_stops(const Event& e) {
    stopped_ = true;
    if (done_ == 0) log_.skip("no epoch ended before run_stop: there is no rate");
    const bool good = e.status == "success";
    log_.stop(good ? contract::RunOutcome::Completed : contract::RunOutcome::Failed,
              good ? "" : "run_stop says \"" + std::string(e.status.substr(0, 100)) + "\"",
              e.time - begun_->time);
  }

  CollectedLog log_;
  JsonObject json_;
  std::string benchmark_;
  std::string timed_;
  std::optional<Mark> begun_, open_;
  std::optional<Mark>
      pending_;  ///< v0.5: seconds of training of which the epochs are not known yet
  std::optional<double> first_epoch_;                    ///< what the log calls the first
  std::optional<std::pair<double, double>> evaluation_;  ///< the last one's epoch and quality
  double done_ = 0;                                      ///< epochs
  bool is_v05_ = false, by_epoch_ = false, evaluated_within_ = false, stopped_ = false;
};

bool recognises(std::string_view head) {
  return any_line(head, [](std::string_view line) {
    TextScanner scanner(line);
    return scanner.find(kMark) &&
           (scanner.rest().starts_with(kLog) || scanner.rest().starts_with(kLogV05));
  });
}

LogContent read(std::string_view text, const contract::RunSpec& run) {
  return read_with<Reader>(text, run, {&recognises});
}

}  // namespace

extern const LogFormat mlperf_entry;
const LogFormat mlperf_entry{
    .name = "mlperf",
    .summary = "MLPerf Training's lines (:::MLLOG, :::MLPv0.5.0) in any output",
    .rates =
        "of all accelerators: training samples of an epoch over its wall time, waiting for data "
        "included, evaluation not (but where only blocks with evaluation are timed); the first "
        "epoch or block is marked as warm-up",
    .file = "stdout",
    .needs_run = true,
    .recognises = &recognises,
    .read = &read,
    .tells_end = true,
};

}  // namespace dlscale::analysis
