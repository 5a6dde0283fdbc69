// SPDX-License-Identifier: Apache-2.0
// The log of MXNet's training loops (apache/mxnet): python/mxnet/callback.py, Speedometer, and
// module/base_module.py or model.py.
//
// "Epoch[0] Batch [50]\tSpeed: 707.55 samples/sec\tTrain-accuracy=0.19" (later "Batch [0-50]", one
// line with several metrics; before, one line for each metric): the batch of this process, all of
// its devices, x batches since the line before / wall time, waiting for data included; the first
// line of an epoch has one batch less in its time than it counts. With a distributed kvstore every
// worker writes its own, so that there is no rate of all. "Epoch[0] Time cost=72.598" is the
// epoch's training alone.
#include <algorithm>

#include "analysis/store/formats/collected_log.hpp"
#include "analysis/store/formats/text_scanner.hpp"

namespace dlscale::analysis {
namespace {

struct Speed {
  std::int64_t epoch = 0, batch = 0;
  double rate = 0;
};

/// Behind "Epoch": "[0] Batch [50]\tSpeed: 707.55 samples/sec".
bool read_speed(std::string_view text, Speed& s) {
  TextScanner scanner(text);
  if (!scanner.skip("[") || !scanner.integer(s.epoch) || !scanner.skip("]") ||
      !scanner.skip("Batch [") || !scanner.integer(s.batch)) {
    return false;
  }
  if (scanner.skip("-") && !scanner.integer(s.batch)) return false;  // "Batch [0-50]"
  return scanner.skip("]") && scanner.skip("Speed: ") && scanner.number(s.rate) &&
         scanner.skip("samples/sec") && s.epoch >= 0 && s.batch >= 0;
}

class Reader {
 public:
  explicit Reader(const contract::RunSpec& run) : log_(run, "mxnet") {}

  void take(const LogLine& line) {
    const std::size_t at = line.text.find("Epoch[");
    if (at == std::string_view::npos) {
      if (line.text.find("Namespace(") != std::string_view::npos) take_arguments(line.text);
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
  static std::string argument(std::string_view text, std::string_view name) {
    TextScanner scanner(text);
    if (!scanner.find(name)) return "";
    const bool quoted = scanner.skip("'");
    return std::string(scanner.until(quoted ? "'" : ",)"));
  }

  /// "Namespace(batch_size=128, …, gpus='2,3', kv_store='device', …)" of the example programs.
  void take_arguments(std::string_view text) {
    double number = 0;
    log_.fact("global_batch", argument(text, "(batch_size="));
    log_.fact("global_batch", argument(text, " batch_size="));
    log_.fact("dataset", argument(text, "data_type="));
    log_.fact("model", argument(text, "network="));
    const std::string gpus = argument(text, "gpus=");
    if (!gpus.empty() && gpus != "None") {
      const auto count = 1 + std::count(gpus.begin(), gpus.end(), ',');
      log_.fact("gpus", count);
      log_.start().world_size = static_cast<int>(count);
    }
    if (whole_number(argument(text, "num_examples="), number) && number > 0 && number < 1e15) {
      log_.start().train_samples = std::llround(number);
    }
    const std::string store = argument(text, "kv_store=");
    is_distributed_ = store.starts_with("dist") || store == "horovod";
  }

  void take_speed(const LogLine& line, std::string_view text) {
    Speed s;
    if (!read_speed(text, s)) {
      return line.complete ? log_.skip("no speed of MXNet's after \"Epoch\"") : log_.cut_off();
    }
    if (is_distributed_) return log_.skip("the speed of one worker of several: no rate of all");
    const RunPlace place{s.epoch, s.batch};
    if (place == told_) return;  // the next metric of the same
    if (log_.repeats(told_, place)) return;
    const bool same_epoch = s.epoch == last_.epoch;
    TimedSteps window{.epoch = s.epoch, .steps = s.batch - (same_epoch ? last_.batch : 0)};
    window.samples = static_cast<double>(window.steps) * static_cast<double>(log_.global_batch());
    window.wall_s = window.samples / s.rate;
    window.warmup = log_.steps() == 0;
    last_ = s;
    log_.add_steps(window);
  }

  /// "[0] Time cost=72.598", "[0] Validation-accuracy=0.502670".
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
    if (is_time && !log_.repeats(ended_, {epoch, 0})) return end_epoch(epoch, value);
    if (metric != "accuracy" || log_.repeats(validated_, {epoch, 0})) return;
    log_.add_eval(epoch, value, std::nan(""));
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
  bool is_distributed_ = false;
};

/// MLPerf's programs write such lines, too, for one process; their own lines say more.
bool recognises(std::string_view head) {
  if (head.find(":::MLLOG ") != std::string_view::npos) return false;
  return any_line(head, [](std::string_view line) {
    const std::size_t at = line.find("Epoch[");
    Speed speed;
    return at != std::string_view::npos && read_speed(line.substr(at + 5), speed);
  });
}

LogContent read(std::string_view text, const contract::RunSpec& run) {
  return read_with<Reader>(text, run, {&recognises});
}

}  // namespace

extern const LogFormat mxnet_entry;
const LogFormat mxnet_entry{
    .name = "mxnet",
    .summary = "log of MXNet's training loops (Speedometer)",
    .rates =
        "of one process and all its devices, which is all where the kvstore is not distributed; "
        "waiting for data included; the first line is marked as warm-up",
    .file = "stdout",
    .needs_run = true,
    .recognises = &recognises,
    .read = &read,
};

}  // namespace dlscale::analysis
