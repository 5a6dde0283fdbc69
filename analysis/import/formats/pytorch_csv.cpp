// SPDX-License-Identifier: Apache-2.0
// Reads results.csv of Randl/MobileNetV2-pytorch (logger.py, CsvLogger) and related programs.
// The table has one row per epoch, from 1, with the validation errors as fractions. It has no
// times, so there are no rates.
#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/csv_row.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::string_view kHeader = "epoch,val_error1,val_error5,val_loss";

void take_row(CollectedLog& log, const CsvColumns& columns, const LogLine& line,
              RunPlace& reported) {
  const auto cells = base::split(line.text, ',');
  const auto number = columns.number(cells, "epoch");
  const auto error = columns.number(cells, "val_error1");
  if (cells.size() != columns.names().size() || !number || !error || *number < 1 || *number > 1e9) {
    return line.complete ? log.skip("is not a row of an epoch") : log.cut_off();
  }
  if (!line.complete) return log.cut_off();
  if (log.repeats(reported, {static_cast<std::int64_t>(*number), 0})) return;
  contract::EpochRecord epoch{.epoch = static_cast<int>(*number) - 1, .wall_s = std::nan("")};
  epoch.train_loss = columns.loss(cells, "train_loss");
  epoch.lr = std::nan("");
  log.add_epoch(epoch);
  std::map<std::string, double> metrics;
  if (const auto error5 = columns.number(cells, "val_error5")) {
    metrics["top5_accuracy"] = 1 - *error5;
  }
  log.add_eval(epoch.epoch, 1 - *error, columns.loss(cells, "val_loss"), metrics);
}

bool recognises(std::string_view head) {
  return head.starts_with(kHeader);
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  CollectedLog log(run, "pytorch_csv");
  std::optional<CsvColumns> columns;
  RunPlace reported;
  take_lines(text, log,
             [&](const LogLine& line) {
               if (line.text.starts_with(kHeader)) {
                 columns.emplace(line.text);
               } else if (columns && !line.text.empty()) {
                 take_row(log, *columns, line, reported);
               }
             },
             {&recognises});
  return log.finish();
}

}  // namespace

extern const LogFormat pytorch_csv_entry;
const LogFormat pytorch_csv_entry{
    .name = "pytorch_csv",
    .summary = "results.csv with epoch, val_error1, … (CsvLogger): errors and losses by epoch",
    .rates = "There is no rate, because the table has no times.",
    .cross_check = "nothing is compared, because the table has neither times nor rates",
    .file = "",
    .needs_run = false,
    .recognises = &recognises,
    .read = &read_log,
};

}  // namespace dlscale::analysis
