// SPDX-License-Identifier: Apache-2.0
// Reads summary.csv of timm's train.py (huggingface/pytorch-image-models, timm/utils/summary.py).
// The table has one row per epoch with epoch, train_loss, eval_loss, eval_top1 and eval_top5 in
// percent, and in later versions lr. It has no times, so there are no rates.
#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/csv_row.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::string_view kHeader = "epoch,train_loss,eval_loss,eval_top1,eval_top5";

void take_row(CollectedLog& log, const CsvColumns& columns, const LogLine& line,
              RunPlace& reported) {
  const auto cells = base::split(line.text, ',');
  const auto number = columns.number(cells, "epoch");
  if (!line.complete) return log.cut_off();
  if (cells.size() != columns.names().size() || !number || *number < 0 || *number > 1e7) {
    return log.skip("is not a row of an epoch");
  }
  if (log.repeats(reported, {static_cast<std::int64_t>(*number), 0})) return;
  const auto value = [&](const char* name) {
    return columns.number(cells, name).value_or(std::nan(""));
  };
  contract::EpochRecord epoch{.epoch = static_cast<int>(*number), .wall_s = std::nan("")};
  epoch.train_loss = columns.loss(cells, "train_loss");
  epoch.lr = value("lr");
  log.add_epoch(epoch);
  if (!columns.number(cells, "eval_top1")) return;
  std::map<std::string, double> metrics;
  const auto top5 = columns.number(cells, "eval_top5");
  if (top5 && *top5 >= 0 && *top5 <= 100) metrics["top5_accuracy"] = *top5 / 100;
  log.add_eval(epoch.epoch, value("eval_top1") / 100, columns.loss(cells, "eval_loss"),
               std::move(metrics));
}

bool recognises(std::string_view head) {
  return any_line(head.substr(0, 1024),
                  [](std::string_view line) { return line.starts_with(kHeader); });
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  CollectedLog log(run, "timm");
  std::optional<CsvColumns> columns;
  RunPlace reported;
  take_lines(text, log,
             [&](const LogLine& line) {
               if (line.text.starts_with(kHeader)) {
                 if (line.complete) columns.emplace(line.text);
               } else if (columns && line.text.find(',') != line.text.npos) {
                 take_row(log, *columns, line, reported);
               }
             },
             {&recognises});
  return log.finish();
}

}  // namespace

extern const LogFormat timm_summary_entry;
const LogFormat timm_summary_entry{
    .name = "timm_summary",
    .summary = "summary.csv of timm's train.py: losses and accuracies by epoch",
    .rates = "There is no rate, because the table has no times.",
    .cross_check = "nothing is compared, because the table has neither times nor rates",
    .file = "",
    .needs_run = false,
    .recognises = &recognises,
    .read = &read_log,
    .summary_of = "timm",
};

}  // namespace dlscale::analysis
