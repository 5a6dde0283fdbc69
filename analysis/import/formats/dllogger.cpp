// SPDX-License-Identifier: Apache-2.0
// Reads the output of NVIDIA's DLLogger (dllogger/logger.py) as the programs of
// NVIDIA/DeepLearningExamples use it.
// DLLogger writes "DLL <date> - Epoch: 0 Iteration: 1  train.total_ips : 948.91 images/s
// …" to standard output and "DLLL {json}" to files. The reader supports the names of three
// programs:
// - image_classification's main.py (image_classification/training.py): total_ips is ranks x batch
//   of a rank / (data time + compute time), averaged over the steps since the previous line.
//   compute_ips excludes the data time and is therefore an upper bound of total_ips. The line that
//   ends an epoch states the mean of total_ips over the steps of the epoch. This mean is at most
//   the rate without warm-up.
// - run_squad.py of BERT: training_sequences_per_second is the rate of all ranks over the whole
//   training, including start-up.
// - NCF ("DLL … - (0,) train_throughput : … hr@10 : 0.73 …"): the reader uses the hit rate and
//   ignores train_throughput. The clock of train_throughput stops before the device has finished,
//   so some logs state 1e10 samples/s or more.
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/json_object.hpp"
#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {
namespace {

/// Content of one line: its position in the run and its measurements.
struct Entry {
  bool parameters = false, summary = false;
  std::optional<std::int64_t> epoch, iteration;
  std::vector<std::pair<std::string_view, std::string>> values;  ///< named values

  const std::string* text(std::string_view name) const {
    for (const auto& [own, value] : values) {
      if (own == name) return &value;
    }
    return nullptr;
  }
  std::optional<double> number(std::string_view name) const {
    const std::string* const found = text(name);
    double value = 0;
    if (found == nullptr || !whole_number(*found, value)) return std::nullopt;
    return value;
  }
  double loss(std::string_view name) const {
    const std::string* const found = text(name);
    double value = 0;
    return found != nullptr && whole_loss(*found, value) ? value : std::nan("");
  }
};

/// Reads named values such as "name : value unit name : value …".
void read_values(std::string_view text, Entry& entry) {
  constexpr std::string_view kIs = " : ";
  for (std::size_t at = text.find(kIs); at != std::string_view::npos; at = text.find(kIs)) {
    const std::string_view name = text.substr(0, at);
    text.remove_prefix(at + kIs.size());
    const std::size_t start = name.find_last_of(' ') + 1;  // 0 for a name without blanks
    entry.values.emplace_back(name.substr(start), text.substr(0, text.find(' ')));
  }
}

class DlloggerLogReader {
 public:
  explicit DlloggerLogReader(const contract::RunSpec& run) : log_(run, "dllogger") {}

  void read_line(const LogLine& line) {
    TextScanner scanner(line.text);
    if (!scanner.find("DLL")) return;
    if (scanner.rest().starts_with("L {")) return take_json(line);
    Entry entry;
    if (!scanner.rest().starts_with(' ') || !scanner.find(" - ")) return;
    if (!line.complete) return log_.cut_off();
    take_clock(line.text);
    entry.parameters = scanner.skip("PARAMETER ");
    entry.summary = scanner.skip("Summary:");
    std::int64_t number = 0;
    scanner.skip("Training ");
    if ((scanner.skip("Epoch:") || scanner.skip("(")) && scanner.integer(number)) {
      entry.epoch = number;
    }
    scanner.skip("Training ");
    if (scanner.skip("Iteration:") && scanner.integer(number)) entry.iteration = number;
    read_values(scanner.rest(), entry);
    read_line(entry);
  }
  LogContent finish() { return log_.finish(); }
  CollectedLog& log() { return log_; }

 private:
  /// Records the time since the first line with a time stamp, such as
  /// "DLL 2024-05-02 04:40:42.836052 - ".
  void take_clock(std::string_view text) {
    TextScanner s(text);
    double time = 0;
    if (!s.find("DLL ") || !date_and_time(s, time)) return;
    if (std::isnan(clock_)) clock_ = time;
    elapsed_s_ = time - clock_;
  }

  /// Compares the time of the whole training with the duration of the log, which is an upper bound.
  void compare_clock() {
    if (!(elapsed_s_ > 0)) return;
    log_.compare({.name = "time since the first line",
                  .value = elapsed_s_,
                  .quantity = PrintedQuantity::seconds,
                  .span = PrintedSpan::longer,
                  .resolution = 1});
  }

  void take_json(const LogLine& line) {
    if (!json_.read(line.text.substr(line.text.find("DLLL ") + 5))) {
      return line.complete ? log_.skip("no JSON after \"DLLL\"") : log_.cut_off();
    }
    Entry entry;
    entry.parameters = json_.text("step").value_or("") == "PARAMETER";
    entry.epoch = json_.item("step", 0);
    entry.iteration = json_.item("step", 1);
    json_.each_text("data", [&](std::string_view name, std::string_view value) {
      entry.values.emplace_back(name, value);
    });
    entry.summary = is_of_whole_run() && !entry.number("training_sequences_per_second") &&
                    !entry.number("train_throughput");
    read_line(entry);
  }

  /// Returns true for a JSON line with `"step": []`, which corresponds to "Summary:" in text lines.
  bool is_of_whole_run() const {
    return json_.text("type").value_or("") == "LOG" && json_.has("step") &&
           !json_.item("step", 0) && !json_.integer("step") && !json_.text("step");
  }

  void read_line(const Entry& entry) {
    if (entry.parameters) return take_parameters(entry);
    if (entry.summary) return log_.stop(contract::RunOutcome::Completed);
    if (entry.number("training_sequences_per_second")) return take_squad(entry);
    if (entry.number("best_train_throughput")) return log_.stop(contract::RunOutcome::Completed);
    if (entry.number("train_throughput")) return take_ncf(entry);
    if (!entry.epoch) return;
    if (const auto rate = entry.number("train.total_ips")) {
      entry.iteration ? take_steps(entry, *rate) : take_epoch(entry, *rate);
    }
    const auto top1 = entry.number("val.top1");
    if (top1 && !entry.iteration && !log_.repeats(validated_, {*entry.epoch, 0})) {
      std::map<std::string, double> metrics;
      if (const auto top5 = entry.number("val.top5")) metrics["top5_accuracy"] = *top5 / 100;
      log_.add_eval(*entry.epoch, *top1 / 100, entry.loss("val.loss"), metrics);
    }
  }

  void take_parameters(const Entry& entry) {
    if (entry.text("arch") == nullptr) return;  // the line has no parameters of training.py
    const auto fact = [&](const char* as, std::string_view name) {
      if (const std::string* const value = entry.text(name)) log_.fact(as, *value);
    };
    fact("model", "arch");
    fact("batch_per_gpu", "batch_size");
    fact("loader", "data_backend");
    fact("epochs", "epochs");
    fact("optimizer", "optimizer");
    if (const std::string* const amp = entry.text("amp")) {
      log_.fact("precision", *amp == "True" ? "amp" : "fp32");
    }
  }

  void take_steps(const Entry& entry, double rate) {
    if (*entry.iteration < 1 || *entry.iteration > 1'000'000'000) {
      return log_.skip("the iteration number is out of range");
    }
    if (watch_.goes_back({*entry.epoch, *entry.iteration})) is_whole_ = false;
    if (log_.repeats(told_, {*entry.epoch, *entry.iteration})) return;
    if (*entry.epoch != epoch_) {
      done_ = 0;
      is_whole_ = true;
    }
    epoch_ = *entry.epoch;
    const std::int64_t steps = *entry.iteration - done_;  // iterations count from 1
    done_ = *entry.iteration;
    TimedSteps window{.epoch = epoch_, .steps = steps};
    window.samples = static_cast<double>(steps) * static_cast<double>(log_.global_batch());
    window.wall_s = window.samples / rate;
    window.lr = entry.number("train.lr").value_or(std::nan(""));
    window.loss = entry.loss("train.loss");
    window.warmup = first_;
    if (steps == *entry.iteration) epoch_begins_ = log_.steps();
    first_ = false;
    if (!log_.add_steps(window)) return;
    if (const auto compute = entry.number("train.compute_ips")) {
      log_.compare({.name = "train.compute_ips",
                    .value = *compute,
                    .span = PrintedSpan::shorter,
                    .has_warmup = true,
                    .first_step = log_.steps() - steps});
    }
  }

  /// Adds the record of an epoch from the line that the program prints after the epoch. This line
  /// does not state the number of steps, so the record counts the steps of the earlier lines.
  void take_epoch(const Entry& entry, double rate) {
    if (log_.repeats(ended_, {*entry.epoch, 0})) return;
    if (*entry.epoch != epoch_ || done_ < 1 || !(rate > 0)) return;
    if (is_whole_) compare_epoch(rate);
    contract::EpochRecord epoch{.epoch = static_cast<int>(std::min<std::int64_t>(epoch_, 1 << 30))};
    epoch.steps = done_;
    epoch.samples = done_ * log_.global_batch();
    epoch.wall_s = static_cast<double>(epoch.samples) / rate;
    epoch.train_loss = entry.loss("train.loss");
    epoch.lr = entry.number("train.lr").value_or(std::nan(""));
    log_.add_epoch(epoch);
  }

  /// Compares the printed mean of the rates of all steps with the windows of the epoch. The mean
  /// must lie between the rate that includes the slow first steps and the mean rate without them.
  void compare_epoch(double rate) {
    PrintedFigure figure{.name = "train.total_ips of the epoch",
                         .value = rate,
                         .quantity = PrintedQuantity::mean_samples_per_s,
                         .span = PrintedSpan::longer,
                         .first_step = epoch_begins_};
    log_.compare(figure);
    figure.quantity = PrintedQuantity::samples_per_s;
    figure.span = PrintedSpan::shorter;
    figure.has_warmup = true;
    log_.compare(figure);
  }

  void take_ncf(const Entry& entry) {
    log_.skip("the clock of train_throughput may stop before the device has finished: no rate");
    const auto hits = entry.number("hr@10");
    if (!hits || !entry.epoch || *hits < 0 || *hits > 1) return;
    if (log_.repeats(validated_, {*entry.epoch, 0})) return;
    log_.add_eval(*entry.epoch, std::nan(""), entry.loss("validation_loss"),
                  {{"hit_rate_10", *hits}});
  }

  void take_squad(const Entry& entry) {
    if (log_.repeats(whole_, {0, 0})) return;
    const double wall_s = entry.number("e2e_train_time").value_or(0);
    TimedSteps all{.wall_s = wall_s};
    all.samples = *entry.number("training_sequences_per_second") * wall_s;
    const double steps = all.samples / static_cast<double>(log_.global_batch());
    all.steps = steps < 1e9 ? std::max<std::int64_t>(std::llround(steps), 1) : 0;
    all.loss = entry.loss("final_loss");
    if (!log_.add_steps(all)) return;
    compare_clock();
    log_.stop(contract::RunOutcome::Completed, "", wall_s);
  }

  CollectedLog log_;
  JsonObject json_;
  RunPlace told_, ended_, validated_, whole_;
  std::int64_t epoch_ = -1, done_ = 0;
  std::int64_t epoch_begins_ = 0;  ///< step of the run at which the epoch begins
  RestartWatch watch_;
  bool is_whole_ = true;         ///< true if one attempt ran the whole epoch
  double clock_ = std::nan("");  ///< time stamp of the first line
  double elapsed_s_ = 0;         ///< seconds since the first line
  bool first_ = true;
};

bool recognises(std::string_view head) {
  return any_line(head, [](std::string_view line) {
    TextScanner text(line);
    double year = 0;
    if (!text.find("DLL")) return false;
    if (text.rest().starts_with("L {\"")) return true;
    return text.rest().starts_with(" 2") && text.number(year) && text.find(" - ");
  });
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  return read_with<DlloggerLogReader>(text, run, {&recognises});
}

}  // namespace

extern const LogFormat dllogger_entry;
const LogFormat dllogger_entry{
    .name = "dllogger",
    .summary = "NVIDIA DLLogger lines of DeepLearningExamples (image classification, BERT SQuAD)",
    .rates =
        "The rate is for all ranks and includes waiting for data. Image classification: The steps "
        "of the first line are marked as warm-up. SQuAD: The rate covers the whole training, "
        "including start-up.",
    .cross_check =
        "Image classification: train.total_ips of an epoch is compared with the lines of the "
        "epoch, and train.compute_ips of each line is an upper bound of the rate. SQuAD: The time "
        "stamps of the log are an upper bound of the time.",
    .file = "stdout",
    .needs_run = true,
    .recognises = &recognises,
    .read = &read_log,
    .tells_end = true,
};

}  // namespace dlscale::analysis
