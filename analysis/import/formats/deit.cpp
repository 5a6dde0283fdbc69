// SPDX-License-Identifier: Apache-2.0
// Reads log.txt of DeiT's main.py (facebookresearch/deit) and of the programs derived from it.
// The log has one JSON object per epoch with "train_lr", "train_loss", "test_acc1" in percent and
// "epoch" from 0. It has no times, so there are no rates.
#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/json_object.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::string_view kMark = R"({"train_lr": )";

bool recognises(std::string_view head) {
  return any_line(head, [](std::string_view line) {
    return line.starts_with(kMark) && line.find("\"train_loss\": ") != std::string_view::npos &&
           line.find("\"epoch\": ") != std::string_view::npos;
  });
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  CollectedLog log(run, "deit");
  JsonObject json;
  RunPlace reported;
  take_lines(text, log,
             [&](const LogLine& line) {
               const std::size_t at = line.text.find(kMark);
               if (at == std::string_view::npos) return;
               if (!json.read(line.text.substr(at))) {
                 return line.complete ? log.skip("no JSON after \"train_lr\"") : log.cut_off();
               }
               const auto number = json.integer("epoch");
               if (!number || *number < 0 || *number > 1'000'000'000)
                 return log.skip("no valid epoch number");
               if (log.repeats(reported, {*number, 0})) return;
               contract::EpochRecord epoch{.epoch = static_cast<int>(*number),
                                           .wall_s = std::nan("")};
               epoch.train_loss = json.loss("train_loss");
               epoch.lr = json.number("train_lr").value_or(std::nan(""));
               log.add_epoch(epoch);
               log.start().parameters = json.integer("n_parameters").value_or(0);
               log.start().trainable_parameters = log.start().parameters;
               if (const auto accuracy = json.number("test_acc1")) {
                 std::map<std::string, double> metrics;
                 if (const auto top5 = json.number("test_acc5"))
                   metrics["top5_accuracy"] = *top5 / 100;
                 log.add_eval(*number, *accuracy / 100, json.loss("test_loss"), metrics);
               }
             },
             {&recognises});
  return log.finish();
}

}  // namespace

extern const LogFormat deit_entry;
const LogFormat deit_entry{
    .name = "deit",
    .summary =
        "log.txt of DeiT's main.py and of programs derived from it: losses and accuracies "
        "by epoch",
    .rates = "There is no rate, because the log has no times.",
    .cross_check = "nothing is compared, because the log has neither times nor rates.",
    .file = "",
    .needs_run = false,
    .recognises = &recognises,
    .read = &read_log,
};

}  // namespace dlscale::analysis
