// SPDX-License-Identifier: Apache-2.0
// Reads the training progress of DAWNBench entries (stanford-futuredata/dawn-bench-entries,
// README.md).
// The table has one row per epoch and tabs between the columns epoch, hours, top1Accuracy or
// f1Score, and top5Accuracy, in any order. Hours count from the start of the training. The rules of
// DAWNBench do not state whether the hours include evaluation. The table does not state the number
// of samples, so epochs have times and no rates. Epoch numbers start at 0 or at 1, and some epoch
// numbers are fractions, so the reader counts the rows instead.
#include <fmt/format.h>

#include <cmath>

#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {
namespace {

struct Columns {
  int hours = -1, top1 = -1, top5 = -1, f1 = -1, all = 0;
};

/// Calls `take` for each cell of a row, without the blanks around it. Returns the number of cells.
template <class Take>
int each_cell(std::string_view line, Take take) {
  int position = 0;
  for (;; ++position) {
    std::string_view cell = line.substr(0, line.find('\t'));
    const std::size_t whole = cell.size();
    while (cell.ends_with(' ')) cell.remove_suffix(1);
    while (cell.starts_with(' ')) cell.remove_prefix(1);
    take(position, cell);
    if (whole == line.size()) return position + 1;
    line.remove_prefix(whole + 1);
  }
}

bool read_heading(std::string_view line, Columns& columns) {
  columns = {};
  bool epoch = false;
  columns.all = each_cell(line, [&](int position, std::string_view name) {
    epoch = epoch || name == "epoch";
    if (name == "hours") columns.hours = position;
    if (name == "top1Accuracy") columns.top1 = position;
    if (name == "top5Accuracy") columns.top5 = position;
    if (name == "f1Score") columns.f1 = position;
  });
  return epoch && columns.hours >= 0 && (columns.top1 >= 0 || columns.f1 >= 0);
}

class DawnbenchLogReader {
 public:
  explicit DawnbenchLogReader(const contract::RunSpec& run) : log_(run, "dawnbench") {}

  void read_line(const LogLine& line) {
    Columns heading;
    if (read_heading(line.text, heading)) {
      if (line.complete) columns_ = heading;
    } else if (columns_.all > 0 && line.text.find('\t') != line.text.npos) {
      line.complete ? take_row(line.text) : log_.cut_off();
    }
  }
  LogContent finish() { return log_.finish(); }
  CollectedLog& log() { return log_; }

 private:
  void take_row(std::string_view line) {
    double hours = std::nan(""), top1 = hours, top5 = hours, f1 = hours;
    const int count = each_cell(line, [&](int position, std::string_view cell) {
      double value = 0;
      if (!whole_number(cell, value)) return;
      if (position == columns_.hours) hours = value;
      if (position == columns_.top1) top1 = value;
      if (position == columns_.top5) top5 = value;
      if (position == columns_.f1) f1 = value;
    });
    if (count < columns_.all || std::isnan(hours) || (std::isnan(top1) && std::isnan(f1))) {
      return log_.skip("is not a row of an epoch");
    }
    if (line == last_row_) return log_.skip_repeated();
    if (!(hours >= hours_) || hours > 1e6) {
      return log_.skip(
          fmt::format("{} hours follow {} hours, but times must not decrease", hours, hours_));
    }
    if (f1 > 1 || f1 < 0 || top5 > 100 || top5 < 0) return log_.skip("a score is out of range");
    std::map<std::string, double> metrics;
    if (!std::isnan(top5)) metrics["top5_accuracy"] = top5 / 100;
    if (!std::isnan(f1)) metrics["f1"] = f1;
    contract::EpochRecord epoch{.epoch = epochs_, .wall_s = (hours - hours_) * 3600};
    epoch.train_loss = epoch.lr = std::nan("");
    log_.add_epoch(epoch);
    log_.add_eval(epochs_, top1 / 100, std::nan(""), std::move(metrics));
    ++epochs_;
    hours_ = hours;
    last_row_ = line;
  }

  CollectedLog log_;
  Columns columns_;
  std::string_view last_row_;
  double hours_ = 0;
  int epochs_ = 0;
};

bool recognises(std::string_view head) {
  Columns columns;
  return any_line(head.substr(0, 1024),
                  [&](std::string_view line) { return read_heading(line, columns); });
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  return read_with<DawnbenchLogReader>(text, run, {&recognises});
}

}  // namespace

extern const LogFormat dawnbench_entry;
const LogFormat dawnbench_entry{
    .name = "dawnbench",
    .summary =
        "training progress of DAWNBench entries (TSV with columns epoch, hours, "
        "top1Accuracy, f1Score)",
    .rates =
        "There is no rate, because the table has no number of samples. The times of epochs "
        "may include evaluations.",
    .cross_check =
        "nothing is compared, because the table has no number of samples and therefore "
        "no rate.",
    .file = "",
    .needs_run = false,
    .recognises = &recognises,
    .read = &read_log,
};

}  // namespace dlscale::analysis
