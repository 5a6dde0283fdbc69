// SPDX-License-Identifier: Apache-2.0
// Reads main.log of llm.c (karpathy/llm.c, llmc/logger.h) and of programs that print lines of the
// same form. "s:10 trl:8.93" is the training loss of a step, "s:10 tel:8.91" is a validation loss,
// and "s:10 eval:0.31" is the HellaSwag accuracy. The log has neither times nor epochs, so there
// are no rates.
#include <array>
#include <map>
#include <string>
#include <utility>

#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {
namespace {

enum class Kind { train, validation, hellaswag };

bool read_line(std::string_view text, std::int64_t& step, Kind& kind, double& value) {
  TextScanner s(text);
  if (!text.starts_with("s:") || !s.skip("s:") || !s.integer(step) || step < 0) return false;
  if (s.skip("trl:")) {
    kind = Kind::train;
  } else if (s.skip("tel:")) {
    kind = Kind::validation;
  } else if (s.skip("eval:")) {
    kind = Kind::hellaswag;
  } else {
    return false;
  }
  return s.loss(value);
}

/// Adds an evaluation without an epoch, because the log counts only steps.
void add_eval(CollectedLog& log, double loss, std::map<std::string, double> metrics) {
  contract::EvalRecord eval{.epoch = kUnknownEpoch, .time = std::nan("")};
  eval.wall_s = eval.accuracy = std::nan("");
  eval.loss = loss;
  eval.metrics = std::move(metrics);
  log.add(std::move(eval));
}

bool recognises(std::string_view head) {
  bool first = true, own = false;
  any_line(head, [&](std::string_view line) {
    std::int64_t step = 0;
    Kind kind{};
    double value = 0;
    if (std::exchange(first, false)) own = read_line(line, step, kind, value);
    return true;
  });
  return own;
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  CollectedLog log(run, "llmc");
  std::array<RunPlace, 3> reported;  // last position of each kind of line
  take_lines(text, log,
             [&](const LogLine& line) {
               if (!line.text.starts_with("s:")) return;
               std::int64_t step = 0;
               Kind kind{};
               double value = 0;
               if (!line.complete) return log.cut_off();
               if (!read_line(line.text, step, kind, value))
                 return log.skip("the text after \"s:\" is not a line of llm.c");
               if (log.repeats(reported[static_cast<std::size_t>(kind)], {0, step})) return;
               const double at = static_cast<double>(step);
               if (kind == Kind::train && step <= 1'000'000'000) {
                 contract::StepWindow window{.first_step = step, .steps = 1, .time = std::nan("")};
                 window.wall_s = window.lr = std::nan("");
                 window.train_loss = value;
                 log.add(window);
               } else if (kind == Kind::validation) {
                 add_eval(log, value, {{"step", at}});
               } else if (kind == Kind::hellaswag && std::isfinite(value)) {
                 add_eval(log, std::nan(""), {{"step", at}, {"hellaswag_accuracy", value}});
               }
             },
             {&recognises});
  return log.finish();
}

}  // namespace

extern const LogFormat llmc_entry;
const LogFormat llmc_entry{
    .name = "llmc",
    .summary = "main.log of llm.c: losses by step",
    .rates = "There is no rate, because the log has no times.",
    .cross_check = "nothing is compared, because the log has neither times nor rates",
    .file = "",
    .needs_run = false,
    .recognises = &recognises,
    .read = &read_log,
};

}  // namespace dlscale::analysis
