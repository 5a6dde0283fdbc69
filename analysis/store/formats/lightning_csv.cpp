// SPDX-License-Identifier: Apache-2.0
// metrics.csv of PyTorch Lightning's CSVLogger (lightning/fabric/loggers/csv_logs.py): the names of
// all that was logged, "epoch" and "step" among them, then a row for each time something was; what
// a row does not have is empty. "epoch" and "step" count from 0. Times are not in it: such logs
// have no rates. Names are the user's; what begins with "val" is of validation, its accuracy is a
// fraction.
#include <algorithm>
#include <array>

#include "analysis/store/formats/collected_log.hpp"
#include "analysis/store/formats/csv_row.hpp"

namespace dlscale::analysis {
namespace {

bool is_header(std::string_view line) {
  bool epoch = false, step = false;
  const auto cells = csv_cells(line);
  for (const std::string_view cell : cells) {
    epoch |= cell == "epoch";
    step |= cell == "step";
    if (cell.empty() || cell.find_first_of(" \"{}\t:") != std::string_view::npos) return false;
  }
  return epoch && step && cells.size() > 2;
}

constexpr std::array kAccuracies{
    "val_acc", "val_accuracy", "val/acc", "val/accuracy", "val_acc1", "val_top1",
};

class Reader {
 public:
  explicit Reader(const contract::RunSpec& run) : log_(run, "lightning_csv") {}

  void take(const LogLine& line) {
    if (!columns_) {
      if (is_header(line.text)) columns_.emplace(line.text);
      return;
    }
    if (line.text.empty()) return;
    const auto cells = csv_cells(line.text);
    const auto epoch = columns_->number(cells, "epoch");
    if (!line.complete) return log_.cut_off();
    if (cells.size() != columns_->names().size()) return log_.skip("no row of the table");
    if (!epoch) return;  // what was logged outside of epochs
    if (!(*epoch >= 0 && *epoch < 1e9)) return log_.skip("no epoch can have this number");
    at_ = {static_cast<std::int64_t>(*epoch), -1};
    const auto step = columns_->number(cells, "step");
    if (step && *step >= 0 && *step < 1e15) at_.step = static_cast<std::int64_t>(*step);
    take_training(cells, static_cast<int>(*epoch));
    take_validation(cells, static_cast<int>(*epoch));
  }
  LogContent finish() { return log_.finish(); }
  CollectedLog& log() { return log_; }

 private:
  using Cells = std::vector<std::string_view>;

  /// The mean over an epoch is logged with its last step.
  void take_training(const Cells& cells, int number) {
    const double loss = columns_->loss(cells, "train_loss_epoch");
    if (std::isnan(loss) || log_.repeats(trained_, at_)) return;
    contract::EpochRecord epoch{.epoch = number, .wall_s = std::nan("")};
    epoch.train_loss = loss;
    epoch.lr = std::nan("");
    log_.add_epoch(epoch);
  }

  void take_validation(const Cells& cells, int epoch) {
    std::map<std::string, double> metrics;
    double accuracy = std::nan(""), loss = std::nan("");
    bool any = false;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string_view name = columns_->names()[i];
      double value = 0;
      const bool is_loss = name == "val_loss" || name == "val/loss";
      if (is_loss && whole_loss(cells[i], value)) {
        loss = value;
        any = true;
      }
      if (is_loss || !name.starts_with("val") || !whole_number(cells[i], value)) continue;
      any = true;
      if (std::find(kAccuracies.begin(), kAccuracies.end(), name) != kAccuracies.end()) {
        accuracy = value;
      } else if (metrics.size() < 100) {
        metrics.emplace(name, value);
      }
    }
    if (any && !log_.repeats(validated_, at_))
      log_.add_eval(epoch, accuracy, loss, std::move(metrics));
  }

  CollectedLog log_;
  std::optional<CsvColumns> columns_;
  RunPlace at_;  ///< the row's
  RunPlace trained_, validated_;
};

bool recognises(std::string_view head) {
  const std::size_t end = head.find('\n');
  std::string_view first = head.substr(0, end);
  if (first.ends_with('\r')) first.remove_suffix(1);
  return end != std::string_view::npos && is_header(first);
}

LogContent read(std::string_view text, const contract::RunSpec& run) {
  return read_with<Reader>(text, run, {&recognises});
}

}  // namespace

extern const LogFormat lightning_csv_entry;
const LogFormat lightning_csv_entry{
    .name = "lightning_csv",
    .summary = "metrics.csv of PyTorch Lightning's CSVLogger: losses and accuracies by epoch",
    .rates = "none: the table has no times",
    .file = "",
    .needs_run = false,
    .recognises = &recognises,
    .read = &read,
};

}  // namespace dlscale::analysis
