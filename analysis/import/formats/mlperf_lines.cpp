// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/formats/mlperf_lines.hpp"

#include <array>
#include <utility>

#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {
namespace {

// Texts that follow kMlperfMark in the different versions of the line format.
constexpr std::string_view kLog = "LOG ";         // JSON follows
constexpr std::string_view kLogV06 = "L ";        // time, key and JSON follow
constexpr std::string_view kLogV05 = "Pv0.5.0 ";  // benchmark, time, file, key and JSON follow

}  // namespace

bool MlperfLines::read(const LogLine& line, MlperfEvent& event) {
  TextScanner scanner(line.text);
  if (!scanner.find(kMlperfMark)) return false;
  if (scanner.skip(kLog)) {
    if (!json_.read(scanner.rest())) return false;
    event.key = json_.text("key").value_or("");
    event.time = json_.number("time_ms").value_or(0) / 1000;
    take_json(event);
    return true;
  }
  if (scanner.skip(kLogV06)) {
    if (!scanner.number(event.time)) return false;
    scanner.skip_blanks();
    event.key = scanner.until(": \t");
    if (!scanner.skip(":") || !json_.read(scanner.rest())) return false;
    take_json(event);
    return true;
  }
  return scanner.skip(kLogV05) && line.complete && read_v05(scanner.rest(), event);
}

void MlperfLines::take_json(MlperfEvent& event) const {
  event.value = json_.number("value");
  event.text = json_.text("value").value_or("");
  event.epoch = json_.number("metadata/epoch_num");
  if (!event.epoch) event.epoch = json_.number("metadata/first_epoch_num");
  event.epochs = json_.number("metadata/epoch_count");
  event.steps = json_.number("metadata/step_num");
  event.samples = json_.number("metadata/samples_count");
  event.status = json_.text("metadata/status").value_or("");
  if (event.key != "tracked_stats") return;
  event.rate = json_.number("value/throughput");
  if (!event.rate) event.rate = json_.number("value/imgs_sec");
}

/// Reads "resnet 1541213547.25 (file:27) key: value", where the value is JSON.
bool MlperfLines::read_v05(std::string_view text, MlperfEvent& event) {
  TextScanner scanner(text);
  scanner.skip_blanks();
  event.benchmark = scanner.until(" ");
  if (!scanner.number(event.time) || !scanner.skip("(") || !scanner.find(") ")) return false;
  event.key = scanner.until(": \t");
  double value = 0;
  if (event.key == "run_stop") event.status = "success";  // a line without JSON reports success
  if (!scanner.skip(":")) return true;
  scanner.skip_blanks();
  if (whole_number(scanner.rest(), value)) {
    event.value = value;
  } else if (scanner.rest().starts_with('{')) {
    if (!json_.read(scanner.rest())) return false;
    event.value = json_.number("value");
    event.epoch = json_.number("epoch");
    const bool is_true = scanner.rest().find("true") != std::string_view::npos;
    if (json_.has("success")) event.status = is_true ? "success" : "aborted";
  }
  if (event.key == "train_epoch") event.epoch = event.value;
  return true;
}

bool is_mlperf_line(std::string_view line) {
  TextScanner scanner(line);
  if (!scanner.find(kMlperfMark)) return false;
  const std::string_view rest = scanner.rest();
  return rest.starts_with(kLog) || rest.starts_with(kLogV06) || rest.starts_with(kLogV05);
}

const char* mlperf_quality(std::string_view benchmark) {
  constexpr std::array<std::pair<std::string_view, const char*>, 9> kQualities{
      {{"gnmt", "bleu"},
       {"transformer", "bleu"},
       {"ssd", "map"},
       {"maskrcnn", "map"},
       {"dlrm", "auc"},
       {"bert", "mlm_accuracy"},
       {"ncf", "hit_rate"},
       {"minigo", "win_rate"},
       {"rnnt", "wer"}}};
  for (const auto& [name, quality] : kQualities) {
    if (benchmark == name) return quality;
  }
  return benchmark == "resnet" ? nullptr : "quality";
}

}  // namespace dlscale::analysis
