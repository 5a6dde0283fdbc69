// SPDX-License-Identifier: Apache-2.0
// Reads the logs of MXNet's training loops (apache/mxnet): python/mxnet/callback.py, Speedometer,
// and module/base_module.py or model.py.
// - "Epoch[0] Batch [50]\tSpeed: 707.55 samples/sec\tTrain-accuracy=0.19" states the rate of this
//   process on all its devices. The rate is the batch x the number of batches since the previous
//   line / wall time, including waiting for data. Later versions print "Batch [0-50]" and several
//   metrics in one line. Earlier versions print one line for each metric. The time of the first
//   line of an epoch covers one batch less than the line counts. With a distributed kvstore every
//   worker writes its own lines, so the log has no rate of all workers.
// - "Epoch[0] Time cost=72.598" is the training time of the epoch without evaluation.
// - GluonCV (dmlc/gluon-cv, scripts/classification/imagenet/train_imagenet.py) prints the same
//   lines with batches that count from 0. The Speed of GluonCV is the rate of all GPUs. GluonCV
//   prints its arguments as "Namespace(batch_size=64, num_gpus=8, …)", where batch_size is the
//   batch of one GPU. After an epoch it prints "[Epoch 0] speed: 2000 samples/sec\ttime cost:
//   637.1" for the whole epoch and "[Epoch 0] validation: err-top1=0.8 err-top5=0.5".
// - The example programs of MXNet print "gpus='0,1'" and a batch_size that is the batch of all
//   GPUs.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {
namespace {

struct Speed {
  std::int64_t epoch = 0, batch = 0;
  double rate = 0;
};

/// Reads the text after "Epoch": "[0] Batch [50]\tSpeed: 707.55 samples/sec".
bool read_speed(std::string_view text, Speed& s) {
  TextScanner scanner(text);
  if (!scanner.skip("[") || !scanner.integer(s.epoch) || !scanner.skip("]") ||
      !scanner.skip("Batch [") || !scanner.integer(s.batch)) {
    return false;
  }
  if (scanner.skip("-") && !scanner.integer(s.batch)) return false;  // form "Batch [0-50]"
  return scanner.skip("]") && scanner.skip("Speed: ") && scanner.number(s.rate) &&
         scanner.skip("samples/sec") && s.epoch >= 0 && s.batch >= 0;
}

class MxnetLogReader {
 public:
  explicit MxnetLogReader(const contract::RunSpec& run) : log_(run, "mxnet") {}

  void read_line(const LogLine& line) {
    const std::size_t at = line.text.find("Epoch[");
    if (at == std::string_view::npos) {
      if (line.text.find("Namespace(") != std::string_view::npos) take_arguments(line.text);
      const std::size_t gluon = line.text.find("[Epoch ");
      if (gluon != std::string_view::npos) take_gluon_end(line, line.text.substr(gluon));
      return;
    }
    const std::string_view text = line.text.substr(at + 5);
    if (text.find("Speed: ") != std::string_view::npos) {
      take_speed(line, text);
    } else {
      take_end(line, TextScanner(text));
    }
  }
  LogContent finish() { return log_.finish(); }
  CollectedLog& log() { return log_; }

 private:
  /// Returns the value of the argument with exactly this name. For example, "gpus" does not match
  /// the end of "num_gpus".
  static std::string argument(std::string_view text, std::string_view name) {
    TextScanner scanner(text);
    while (scanner.find(name)) {
      const auto at = static_cast<std::size_t>(scanner.rest().data() - text.data()) - name.size();
      const bool begins = at > 0 && (text[at - 1] == '(' || text[at - 1] == ' ');
      if (!begins || !scanner.rest().starts_with('=')) continue;
      scanner.skip("=");
      const bool quoted = scanner.skip("'");
      return std::string(scanner.until(quoted ? "'" : ",)"));
    }
    return "";
  }

  /// Reads the arguments of the example programs:
  /// "Namespace(batch_size=128, …, gpus='2,3', kv_store='device', …)".
  void take_arguments(std::string_view text) {
    double number = 0;
    log_.fact("dataset", argument(text, "data_type"));
    log_.fact("model", argument(text, "network"));
    log_.fact("model", argument(text, "model"));
    take_devices(text);
    if (whole_number(argument(text, "log_interval"), number) && number >= 1 && number < 1e9) {
      interval_ = std::llround(number);
    }
    if (whole_number(argument(text, "num_examples"), number) && number > 0 && number < 1e15) {
      log_.start().train_samples = std::llround(number);
    }
    std::string store = argument(text, "kv_store");
    if (store.empty()) store = argument(text, "kvstore");
    is_distributed_ = store.starts_with("dist") || store == "horovod";
  }

  void take_devices(std::string_view text) {
    double batch = 0, gpus = 0;
    const std::string list = argument(text, "gpus");
    const bool has_batch = whole_number(argument(text, "batch_size"), batch) && batch >= 1;
    if (whole_number(argument(text, "num_gpus"), gpus) && gpus >= 0 && gpus < 1e7) {
      const std::int64_t count = std::max<std::int64_t>(std::llround(gpus), 1);  // 0: CPUs
      log_.fact("gpus", count);
      log_.start().world_size = static_cast<int>(count);
      if (has_batch && batch < 1e9) log_.fact("batch_per_gpu", std::llround(batch));
      if (has_batch && batch < 1e9) log_.fact("global_batch", std::llround(batch) * count);
      return;
    }
    if (has_batch && batch < 1e9) log_.fact("global_batch", std::llround(batch));
    if (list.empty() || list == "None") return;
    const auto count = 1 + std::count(list.begin(), list.end(), ',');
    log_.fact("gpus", count);
    log_.start().world_size = static_cast<int>(count);
  }

  void take_speed(const LogLine& line, std::string_view text) {
    Speed s;
    if (!read_speed(text, s)) {
      return line.complete ? log_.skip("no speed of MXNet after \"Epoch\"") : log_.cut_off();
    }
    if (is_distributed_)
      return log_.skip("the speed belongs to one of several workers: no rate of all workers");
    const RunPlace place{s.epoch, s.batch};
    if (place == told_) return;  // the line states another metric of the same batch
    if (watch_.goes_back(place)) is_whole_ = false;
    if (log_.repeats(told_, place)) return;
    const bool same_epoch = s.epoch == last_.epoch;
    if (!same_epoch) {
      epoch_begins_ = log_.steps();
      is_whole_ = true;
    }
    if (interval_ > 1 && (s.batch + 1) % interval_ == 0) counts_from_0_ = true;
    const std::int64_t before = same_epoch ? last_.batch : counts_from_0_ ? -1 : 0;
    TimedSteps window{.epoch = s.epoch, .steps = s.batch - before};
    window.samples = static_cast<double>(window.steps) * static_cast<double>(log_.global_batch());
    window.wall_s = window.samples / s.rate;
    window.warmup = log_.steps() == 0;
    last_ = s;
    log_.add_steps(window);
  }

  /// Reads "[0] Time cost=72.598" and "[0] Validation-accuracy=0.502670".
  void take_end(const LogLine& line, TextScanner scanner) {
    std::int64_t epoch = 0;
    double value = 0;
    if (!scanner.skip("[") || !scanner.integer(epoch) || !scanner.skip("]")) return;
    const bool is_time = scanner.skip("Time cost=");
    const bool is_accuracy = !is_time && scanner.skip("Validation-");
    if (!is_time && !is_accuracy) return;
    const std::string_view metric = is_accuracy ? scanner.until("=") : "";
    if (is_accuracy) scanner.skip("=");
    if (!line.complete) return log_.cut_off();
    if (!scanner.number(value)) return log_.skip("no number after \"=\"");
    if (is_time && !log_.repeats(ended_, {epoch, 0})) {
      if (epoch == last_.epoch && is_whole_) compare_time("Time cost", value);
      return end_epoch(epoch, value);
    }
    if (metric != "accuracy" || log_.repeats(validated_, {epoch, 0})) return;
    log_.add_eval(epoch, value, std::nan(""));
  }

  /// Reads "[Epoch 0] speed: 2000 samples/sec\ttime cost: 637.1" and
  /// "[Epoch 0] validation: err-top1=0.8 err-top5=0.5".
  void take_gluon_end(const LogLine& line, std::string_view text) {
    TextScanner scanner(text);
    std::int64_t epoch = 0;
    double speed = 0, wall_s = 0, error = 0;
    if (!scanner.skip("[Epoch ") || !scanner.integer(epoch) || !scanner.skip("] ")) return;
    const bool is_speed = scanner.skip("speed: ");
    if (!is_speed && !scanner.skip("validation: err-top1=")) return;
    if (!line.complete) return log_.cut_off();
    if (!is_speed) {
      if (!scanner.number(error)) return log_.skip("no number after \"err-top1=\"");
      if (log_.repeats(validated_, {epoch, 0})) return;
      std::map<std::string, double> metrics;
      double error5 = 0;
      if (scanner.skip("err-top5=") && scanner.number(error5))
        metrics["top5_accuracy"] = 1 - error5;
      return log_.add_eval(epoch, 1 - error, std::nan(""), std::move(metrics));
    }
    if (!scanner.number(speed) || !scanner.find("time cost: ") || !scanner.number(wall_s)) {
      return log_.skip("no number after \"speed:\" or after \"time cost:\"");
    }
    if (is_distributed_ || log_.repeats(ended_, {epoch, 0})) return;
    if (epoch == last_.epoch && is_whole_) {
      log_.compare({.name = "speed of the epoch",
                    .value = speed,
                    .has_warmup = true,
                    .first_step = epoch_begins_,
                    .resolution = 1});
      compare_time("time cost", wall_s);
    }
    end_epoch(epoch, wall_s);
  }

  /// Compares the printed time of an epoch with the windows of the epoch. The printed time is an
  /// upper bound, because it includes the batches after the last Speed line.
  void compare_time(const char* name, double wall_s) {
    if (!log_.knows("global_batch")) return;
    log_.compare({.name = name,
                  .value = wall_s,
                  .quantity = PrintedQuantity::seconds,
                  .span = PrintedSpan::longer,
                  .has_warmup = true,
                  .first_step = epoch_begins_});
  }

  void end_epoch(std::int64_t number, double wall_s) {
    contract::EpochRecord epoch{
        .epoch = static_cast<int>(std::clamp<std::int64_t>(number, -1, 1 << 30))};
    epoch.wall_s = wall_s;
    epoch.samples = log_.start().train_samples;
    epoch.steps = epoch.samples / std::max<std::int64_t>(log_.global_batch(), 1);
    epoch.train_loss = epoch.lr = std::nan("");
    log_.add_epoch(epoch);
  }

  CollectedLog log_;
  Speed last_{.epoch = -1};
  RunPlace told_, ended_, validated_;
  std::int64_t epoch_begins_ = 0;  ///< step of the run at which the epoch begins
  std::int64_t interval_ = 0;      ///< batches between two lines; 0: unknown
  RestartWatch watch_;
  bool is_whole_ = true;  ///< true if one attempt ran the whole epoch
  bool is_distributed_ = false, counts_from_0_ = false;
};

/// Returns true for MXNet logs. Returns false for logs of MLPerf programs: these logs also contain
/// MXNet lines of one process, but their MLPerf lines state more.
bool recognises(std::string_view head) {
  if (head.find(":::ML") != std::string_view::npos) return false;
  return any_line(head, [](std::string_view line) {
    const std::size_t at = line.find("Epoch[");
    Speed speed;
    return at != std::string_view::npos && read_speed(line.substr(at + 5), speed);
  });
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  return read_with<MxnetLogReader>(text, run, {&recognises});
}

}  // namespace

extern const LogFormat mxnet_entry;
const LogFormat mxnet_entry{
    .name = "mxnet",
    .summary = "log of MXNet's training loops (Speedometer)",
    .rates =
        "The rate is for one process with all devices of this process. These are all devices of "
        "the run unless the kvstore is distributed. The rate includes waiting for data. The first "
        "line is marked as warm-up.",
    .cross_check =
        "\"Time cost\" of an epoch is compared with the windows of the epoch. It is only a bound, "
        "because it includes the batches after the last line. GluonCV: the \"speed\" of an epoch "
        "is compared with the windows of the epoch.",
    .file = "stdout",
    .needs_run = true,
    .recognises = &recognises,
    .read = &read_log,
};

}  // namespace dlscale::analysis
