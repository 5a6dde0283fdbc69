// SPDX-License-Identifier: Apache-2.0
// Reads the output of DeepSpeed's engines (deepspeedai/DeepSpeed).
// - ThroughputTimer (deepspeed/utils/timer.py) prints "epoch=0/micro_step=10/global_step=10,
//   RunningAvgSamplesPerSec=…, CurrSamplesPerSec=…" every steps_per_print steps. Only rank 0 prints
//   these lines. The running average is the global batch divided by the mean step time since step
//   2. The time of a step runs from the forward pass to the end of the optimizer step and therefore
//   excludes waiting for data. The time of all steps up to a line is steps x global batch /
//   average. The difference between the times of two lines is the time of the steps between these
//   lines. The time stamps of the lines include waiting for data, so they are only an upper bound.
//   If a process restarts in the same log, its global_step and averages start again.
// - Versions before 0.8 print "0/10, RunningAvgSamplesPerSec=…" or "0/10, SamplesPerSec=…". These
//   versions count micro batches as steps if gradients are accumulated (DeepSpeed#2498), so the
//   reader does not derive a rate from them.
// - deepspeed/runtime/pipe/engine.py prints "steps: 10 loss: 6.9 iter time (s): 0.5 samples/sec:
//   256.0" at multiples of steps_per_print. The rate is the rate of all replicas of the pipeline
//   over the steps since the previous line, including waiting for data. A resumed run continues the
//   count of steps.
// - runtime/engine.py prints "step=10, skipped=0, lr=[…]", which states the learning rate and the
//   step of the whole run, including the steps before a checkpoint.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::int64_t kFirstTimed = 2;  ///< start_step of ThroughputTimer
/// Text that runtime/engine.py prints when a process starts.
constexpr std::string_view kStart = "DeepSpeed info: version=";

struct Timer {
  std::int64_t epoch = 0, step = 0;
  double mean_rate = 0;
};

bool read_timer(std::string_view text, Timer& t) {
  TextScanner s(text);
  std::int64_t micro = 0;
  return s.find("epoch=") && s.integer(t.epoch) && s.skip("/micro_step=") && s.integer(micro) &&
         s.skip("/global_step=") && s.integer(t.step) && s.skip(", RunningAvgSamplesPerSec=") &&
         s.number(t.mean_rate) && s.skip(",");
}

struct PipeLine {
  std::int64_t step = 0;
  double loss = std::nan(""), step_s = 0, rate = 0, lr = std::nan("");
  int line = 0;
  bool is_start = false;  ///< true for the first line of a process
};

bool read_pipe(std::string_view text, PipeLine& p) {
  TextScanner s(text);
  if (!s.find("steps: ") || !s.integer(p.step) || !s.skip("loss: ")) return false;
  if (!s.loss(p.loss)) p.loss = std::nan("");
  return s.find("iter time (s): ") && s.number(p.step_s) && s.skip("samples/sec: ") &&
         s.number(p.rate);
}

class DeepspeedLogReader {
 public:
  explicit DeepspeedLogReader(const contract::RunSpec& run) : log_(run, "deepspeed") {}

  void read_line(const LogLine& line) {
    const std::string_view text = line.text;
    if (text.find("SamplesPerSec=") != std::string_view::npos) {
      take_timer(line);
    } else if (text.find("iter time (s): ") != std::string_view::npos) {
      take_pipe(line);
    } else if (const std::size_t at = text.find("] step="); at != std::string_view::npos) {
      TextScanner s(text.substr(at));
      double lr = 0;
      if (!s.skip("] step=") || !s.integer(run_step_)) run_step_ = -1;
      if (s.find("lr=[") && s.number(lr)) lr_ = lr;
    } else if (text.find(kStart) != std::string_view::npos) {
      is_starting_ = true;
    } else if (text.find("[config.py:") != std::string_view::npos && line.complete) {
      take_configuration(text);
    }
  }
  LogContent finish() {
    if (first_pipe_) add_pipe(*first_pipe_, first_pipe_->step);
    return log_.finish();
  }
  CollectedLog& log() { return log_; }

 private:
  /// Reads a line of the configuration that config.py prints, such as
  /// "  train_batch_size ............. 256". A long name has no dots after it.
  void take_configuration(std::string_view text) {
    const auto fact = [&](const char* as, std::string_view name) {
      TextScanner s(text);
      std::int64_t number = 0;
      if (!s.find(name)) return;
      const std::size_t value = std::min(s.rest().find_first_not_of(". "), s.rest().size());
      if (TextScanner(s.rest().substr(value)).integer(number)) log_.fact(as, number);
    };
    fact("global_batch", "  train_batch_size ");
    fact("batch_per_gpu", "  train_micro_batch_size_per_gpu ");
    fact("accumulation_steps", "  gradient_accumulation_steps ");
    fact("gpus", "  world_size ");
  }

  void take_timer(const LogLine& line) {
    Timer t;
    if (!read_timer(line.text, t)) {
      if (!line.complete) return log_.cut_off();
      return log_.skip(line.text.find("global_step=") == std::string_view::npos
                           ? "the rate is from a version of DeepSpeed before 0.8, which may count "
                             "micro batches as steps"
                           : "no valid rate after \"SamplesPerSec\"");
    }
    const bool is_same = t.step == last_.step && t.mean_rate == last_.mean_rate;
    if (!is_same && t.step <= last_.step) begin_process();
    const Timer before = std::exchange(last_, t);
    const double elapsed_before_s = elapsed_s_;
    const double batch = static_cast<double>(log_.global_batch());
    const std::int64_t timed = t.step - kFirstTimed;
    if (timed < 1 || !(t.mean_rate > 0)) return;  // ThroughputTimer has timed no step yet
    elapsed_s_ = batch * static_cast<double>(timed) / t.mean_rate;
    begins_at_ = std::max(begins_at_, run_step_ - t.step);
    if (log_.repeats(told_, {0, begins_at_ + t.step})) return;
    const bool is_first = before.step <= kFirstTimed;
    TimedSteps window{.epoch = t.epoch, .steps = is_first ? timed : t.step - before.step};
    window.samples = batch * static_cast<double>(window.steps);
    window.wall_s = elapsed_s_ - elapsed_before_s;
    window.lr = lr_;
    if (log_.add_steps(window) && log_.knows("global_batch")) compare_clock(line.text);
  }

  /// Resets the counters and the average when a new process starts, because they count only the
  /// steps of one process.
  void begin_process() {
    last_ = {};
    elapsed_s_ = 0;
    begins_at_ = 0;
  }

  /// Compares the time of the steps since the first timer line with the difference of the time
  /// stamps, such as "[2023-07-25 21:03:17,269] [INFO] …".
  void compare_clock(std::string_view text) {
    TextScanner s(text);
    double time = 0;
    if (!s.find("[") || !date_and_time(s, time)) return;
    if (std::isnan(clock_)) {
      clock_ = time;
      clock_step_ = log_.steps();
    } else if (time > clock_) {
      log_.compare({.name = "time since the first line",
                    .value = time - clock_,
                    .quantity = PrintedQuantity::seconds,
                    .span = PrintedSpan::longer,
                    .first_step = clock_step_,
                    .resolution = 1});
    }
  }

  void take_pipe(const LogLine& line) {
    PipeLine p{.lr = lr_, .line = line.number};
    if (!line.complete) return log_.cut_off();
    if (!read_pipe(line.text, p))
      return log_.skip(
          "no valid step on the line with \"iter time "
          "(s):\"");
    p.is_start = std::exchange(is_starting_, false);
    const RunPlace before = told_by_pipe_;
    if (log_.repeats(told_by_pipe_, {0, p.step})) return;
    if (before.step == 0) {
      first_pipe_ = p;
      return;
    }
    const std::int64_t steps = p.step - before.step;
    if (first_pipe_) {
      add_pipe(*std::exchange(first_pipe_, std::nullopt), std::min(steps, before.step));
    }
    add_pipe(p, steps);
  }

  /// Adds the steps since the previous line. The first line does not state where its process began,
  /// because the count of a resumed run includes the steps before the checkpoint. The number of
  /// steps of the first line is therefore taken from the distance to the second line.
  void add_pipe(const PipeLine& p, std::int64_t steps) {
    log_.at(p.line);
    if (log_.steps() == 0) log_.start().resumed_step = p.step - steps;
    TimedSteps window{.steps = steps, .loss = p.loss};
    window.wall_s = p.step_s * static_cast<double>(steps);
    window.samples = p.rate * window.wall_s;
    window.lr = p.lr;
    window.warmup = p.is_start || log_.steps() == 0;
    if (!log_.add_steps(window) || !log_.knows("global_batch")) return;
    const double samples = static_cast<double>(log_.global_batch()) * static_cast<double>(steps);
    log_.compare({.name = "train_batch_size x steps",
                  .value = samples,
                  .quantity = PrintedQuantity::samples,
                  .has_warmup = true,
                  .first_step = log_.steps() - steps,
                  .resolution = samples * 0.0005 / p.step_s});
  }

  CollectedLog log_;
  Timer last_;  ///< last line of the current process, repeated lines included
  RunPlace told_{0, 0}, told_by_pipe_{0, 0};
  double elapsed_s_ = 0;
  double lr_ = std::nan("");
  double clock_ = std::nan("");  ///< time stamp of the first timer line
  std::int64_t clock_step_ = 0;
  std::int64_t run_step_ = -1;          ///< step in the last "step=" line; -1: none
  std::int64_t begins_at_ = 0;          ///< known number of steps before the process started
  bool is_starting_ = false;            ///< true if the next pipeline line includes start-up
  std::optional<PipeLine> first_pipe_;  ///< first line, until the second line shows its steps
};

bool recognises(std::string_view head) {
  return any_line(head, [](std::string_view line) {
    Timer timer;
    PipeLine pipe;
    if (line.find("[timer.py:") != std::string_view::npos) {
      return line.find("SamplesPerSec=") != std::string_view::npos;
    }
    return read_timer(line, timer) || read_pipe(line, pipe);
  });
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  return read_with<DeepspeedLogReader>(text, run, {&recognises});
}

}  // namespace

extern const LogFormat deepspeed_entry;
const LogFormat deepspeed_entry{
    .name = "deepspeed",
    .summary = "output of DeepSpeed's engines, every steps_per_print steps",
    .rates =
        "The rate is for all ranks. ThroughputTimer excludes waiting for data and the first two "
        "steps. The rate of pipelines includes waiting for data, and the first line is marked as "
        "warm-up.",
    .cross_check =
        "ThroughputTimer: The time stamps of the lines are an upper bound of the time, because "
        "they include waiting for data. Pipelines: \"iter time\" times samples/sec is compared "
        "with train_batch_size.",
    .file = "stdout",
    .needs_run = true,
    .recognises = &recognises,
    .read = &read_log,
};

}  // namespace dlscale::analysis
