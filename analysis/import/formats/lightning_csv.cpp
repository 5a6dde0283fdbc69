// SPDX-License-Identifier: Apache-2.0
// Reads metrics.csv of PyTorch Lightning's CSVLogger (lightning/fabric/loggers/csv_logs.py).
// The first line has the names of all logged values, including "epoch" and "step", which count from
// 0. Each following row is one call of the logger. A cell is empty if the call did not log this
// value. The table has no times, so there are no rates.
// A validation may log in several calls, and each call writes a separate row with the same epoch
// and step. The reader joins such rows to one evaluation. Rows without an epoch come from calls
// outside of a training, such as a validation before or after the training. If such rows have
// losses or metrics, they are counted and reported.
// A metric that a program logs with on_step and on_epoch has two columns
// (trainer/connectors/logger_connector/result.py, forked_name): "val_acc_step" has the value of one
// batch and "val_acc_epoch" has the value of the whole validation. Columns with values of single
// batches are ignored. Versions 1.0 to 1.4 add "/epoch_N" to the names of these columns. With
// several validation sets the names end with "/dataloader_idx_N", and the accuracy of a single set
// is not used as the accuracy of the run.
// The user of Lightning chooses all other names. Columns that begin with "val", "valid" or
// "validation" and a separator belong to validation. The user of Lightning also chooses whether
// accuracies are fractions or percentages. If any accuracy is above 1, all accuracies of the file
// are percentages.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/csv_row.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

bool is_header(std::string_view line) {
  bool epoch = false, step = false;
  const auto cells = base::split(line, ',');
  for (const std::string_view cell : cells) {
    epoch |= cell == "epoch";
    step |= cell == "step";
    if (cell.empty() || cell.find_first_of(" \"{}\t:") != std::string_view::npos) return false;
  }
  return epoch && step && cells.size() > 2;
}

enum class Meaning { other, accuracy, loss, metric, training_loss };

/// Names of top-1 accuracy after "val_", in lower case and without separators.
constexpr std::array kAccuracies{"acc",     "accuracy", "acc1",         "acctop1",     "top1",
                                 "top1acc", "acc@1",    "accuracytop1", "top1accuracy"};

/// Removes `prefix` and the separator after it from a name.
bool cut_prefix(std::string_view& name, std::string_view prefix) {
  constexpr std::string_view kSeparators = "_/-.";
  if (!name.starts_with(prefix) || name.size() <= prefix.size() + 1) return false;
  if (kSeparators.find(name[prefix.size()]) == std::string_view::npos) return false;
  name.remove_prefix(prefix.size() + 1);
  return true;
}

/// Returns the meaning of a column with this heading.
Meaning meaning_of(std::string_view heading) {
  const std::string lower = base::lower(heading);
  std::string_view name = lower;
  if (cut_prefix(name, "train") || cut_prefix(name, "training")) {
    return name == "loss_epoch" ? Meaning::training_loss : Meaning::other;
  }
  const bool is_validation =
      cut_prefix(name, "validation") || cut_prefix(name, "valid") || cut_prefix(name, "val");
  const bool is_of_batch = name.ends_with("_step") || name.find("_step/") != name.npos ||
                           name.find("/epoch_") != name.npos;
  if (!is_validation || is_of_batch) return Meaning::other;
  if (name.ends_with("_epoch")) name.remove_suffix(6);
  if (name == "loss") return Meaning::loss;
  std::string letters(name);
  std::erase_if(letters, [](char c) { return c == '_' || c == '/' || c == '-' || c == '.'; });
  const bool is_accuracy = std::ranges::find(kAccuracies, letters) != kAccuracies.end();
  return is_accuracy ? Meaning::accuracy : Meaning::metric;
}

class LightningCsvLogReader {
 public:
  explicit LightningCsvLogReader(const contract::RunSpec& run) : log_(run, "lightning_csv") {}

  void read_line(const LogLine& line) {
    if (!columns_) {
      if (!is_header(line.text)) return;
      columns_.emplace(line.text);
      for (const std::string_view name : columns_->names()) meanings_.push_back(meaning_of(name));
      return;
    }
    if (line.text.empty()) return;
    const auto cells = base::split(line.text, ',');
    const auto epoch = columns_->number(cells, "epoch");
    if (!line.complete) return log_.cut_off();
    if (cells.size() != columns_->names().size())
      return log_.skip("does not have the columns of the table");
    if (!epoch) return skip_without_epoch(cells, line.number);
    if (!(*epoch >= 0 && *epoch < 1e9)) return log_.skip("the epoch number is out of range");
    at_ = {static_cast<std::int64_t>(*epoch), -1};
    const auto step = columns_->number(cells, "step");
    if (step && *step >= 0 && *step < 1e15) at_.step = static_cast<std::int64_t>(*step);
    take_training(cells, static_cast<int>(*epoch));
    take_validation(cells, line.number, static_cast<int>(*epoch));
  }
  LogContent finish() {
    if (without_epoch_ > 0) {
      log_.sum_up(first_without_epoch_,
                  fmt::format("{} with losses or metrics {} no epoch and {} not enter the results",
                              base::count_of(without_epoch_, "row"),
                              base::word_for(without_epoch_, "has", "have"),
                              base::word_for(without_epoch_, "does", "do")));
    }
    if (largest_accuracy_ > 1) {
      log_.at(line_of_largest_);
      log_.skip(fmt::format(
          "an accuracy is {:g}, so the accuracies of this file are in percent{}", largest_accuracy_,
          largest_accuracy_ > 100 ? ", or the values are not accuracies: all of them are ignored"
                                  : ""));
    }
    for (Evaluation& eval : evaluations_) {
      log_.at(eval.line);
      if (largest_accuracy_ > 1) eval.accuracy /= 100;
      if (largest_accuracy_ > 100) eval.accuracy = std::nan("");
      log_.add_eval(eval.epoch, eval.accuracy, eval.loss, std::move(eval.metrics));
    }
    return log_.finish();
  }
  CollectedLog& log() { return log_; }

 private:
  using Cells = std::vector<std::string_view>;

  struct Evaluation {
    int line = 0, epoch = 0;
    double accuracy = std::nan(""), loss = std::nan("");
    std::map<std::string, double> metrics = {};
  };

  void skip_without_epoch(const Cells& cells, int line) {
    bool any = false;
    double ignored = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      any = any || (meanings_[i] != Meaning::other && whole_loss(cells[i], ignored));
    }
    if (any && without_epoch_++ == 0) first_without_epoch_ = line;
  }

  /// Adds to `eval` the values that earlier rows of the same validation did not have. Returns false
  /// if there are no new values.
  bool complete(Evaluation& eval, Evaluation&& row) {
    bool any = false;
    const auto fill = [&any](double& value, double other) {
      if (!std::isnan(value) || std::isnan(other)) return;
      value = other;
      any = true;
    };
    fill(eval.accuracy, row.accuracy);
    fill(eval.loss, row.loss);
    for (const auto& metric : row.metrics) any |= eval.metrics.insert(metric).second;
    return any;
  }

  /// Adds the mean training loss of an epoch, which the program logs with the last step of the
  /// epoch.
  void take_training(const Cells& cells, int number) {
    double loss = std::nan("");
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (meanings_[i] == Meaning::training_loss && whole_loss(cells[i], loss)) break;
    }
    if (std::isnan(loss) || log_.repeats(trained_, at_)) return;
    contract::EpochRecord epoch{.epoch = number, .wall_s = std::nan("")};
    epoch.train_loss = loss;
    epoch.lr = std::nan("");
    log_.add_epoch(epoch);
  }

  void take_validation(const Cells& cells, int line, int epoch) {
    Evaluation eval{.line = line, .epoch = epoch};
    bool any = false;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Meaning meaning = meanings_[i];
      if (meaning == Meaning::other || meaning == Meaning::training_loss) continue;
      double value = 0;
      const bool is_loss = meaning == Meaning::loss;
      if (!(is_loss ? whole_loss(cells[i], value) : whole_number(cells[i], value))) continue;
      any = true;
      if (is_loss) {
        eval.loss = value;
      } else if (meaning == Meaning::accuracy) {
        eval.accuracy = value;
      } else if (eval.metrics.size() < 100) {
        eval.metrics.emplace(columns_->names()[i], value);
      }
    }
    if (!any) return;
    const double accuracy = eval.accuracy;
    if (at_ == validated_ && !evaluations_.empty()) {
      if (!complete(evaluations_.back(), std::move(eval))) return log_.skip_repeated();
    } else {
      if (log_.repeats(validated_, at_)) return;
      evaluations_.push_back(std::move(eval));
    }
    if (accuracy > largest_accuracy_) {
      largest_accuracy_ = accuracy;
      line_of_largest_ = line;
    }
  }

  CollectedLog log_;
  std::optional<CsvColumns> columns_;
  std::vector<Meaning> meanings_;        ///< meanings of the columns
  std::vector<Evaluation> evaluations_;  ///< evaluations, whose accuracy unit is not yet known
  int without_epoch_ = 0;                ///< number of rows without an epoch that have results
  int first_without_epoch_ = 0;          ///< line of the first row without an epoch
  double largest_accuracy_ = 0;
  int line_of_largest_ = 0;
  RunPlace at_;  ///< position of the current row
  RunPlace trained_, validated_;
};

bool recognises(std::string_view head) {
  const std::size_t end = head.find('\n');
  std::string_view first = head.substr(0, end);
  if (first.ends_with('\r')) first.remove_suffix(1);
  return end != std::string_view::npos && is_header(first);
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  return read_with<LightningCsvLogReader>(text, run, {&recognises});
}

}  // namespace

extern const LogFormat lightning_csv_entry;
const LogFormat lightning_csv_entry{
    .name = "lightning_csv",
    .summary = "metrics.csv of PyTorch Lightning's CSVLogger: losses and accuracies by epoch",
    .rates = "There is no rate, because the table has no times.",
    .cross_check = "nothing is compared, because the table has neither times nor rates",
    .file = "",
    .needs_run = false,
    .recognises = &recognises,
    .read = &read_log,
};

}  // namespace dlscale::analysis
