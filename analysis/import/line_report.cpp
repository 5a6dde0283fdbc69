// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/line_report.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>
#include <span>

#include "analysis/import/reading/log_lines.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

/// Returns ", NAME VALUE", or an empty text if the value is unknown.
std::string described(std::string_view name, double value) {
  return std::isnan(value) ? "" : fmt::format(", {} {:.4g}", name, value);
}

/// Describes the samples and the time of a window. A log that states only a rate gives windows of
/// one sample without steps, whose samples and time mean nothing on their own.
std::string describe_speed(const contract::StepWindow& window) {
  if (window.steps == 0 && window.samples == 1) {
    return fmt::format("rate {:g} samples/s", 1 / window.wall_s);
  }
  return fmt::format("{}: {} samples, {:g} s", base::count_of(window.steps, "step"), window.samples,
                     window.wall_s);
}

/// Describes a record in a few words. Returns an empty text for records that are not shown.
std::string describe(const contract::ResultRecord& record) {
  if (const auto* window = std::get_if<contract::StepWindow>(&record)) {
    return fmt::format("{}{}{}", describe_speed(*window), window->warmup ? ", warm-up" : "",
                       described("loss", window->train_loss));
  }
  if (const auto* epoch = std::get_if<contract::EpochRecord>(&record)) {
    const double accuracy =
        epoch->correct && epoch->samples > 0
            ? static_cast<double>(*epoch->correct) / static_cast<double>(epoch->samples)
            : std::nan("");
    return fmt::format("epoch {}{}{}", epoch->epoch, described("loss", epoch->train_loss),
                       described("training accuracy", accuracy));
  }
  if (const auto* eval = std::get_if<contract::EvalRecord>(&record)) {
    return std::isnan(eval->accuracy) ? "evaluation"
                                      : fmt::format("evaluation: accuracy {:g}", eval->accuracy);
  }
  if (std::holds_alternative<contract::InferenceRecord>(record)) return "inference";
  return std::holds_alternative<contract::RunStop>(record) ? "end" : "";
}

/// Splits a message "line 7: …" into the number and the rest. Returns 0 for other messages.
int line_of(std::string_view message, std::string_view& rest) {
  constexpr std::string_view kBegin = "line ";
  int line = 0;
  if (!message.starts_with(kBegin)) return 0;
  const auto [end, error] =
      std::from_chars(message.data() + kBegin.size(), message.data() + message.size(), line);
  rest = message.substr(static_cast<std::size_t>(end - message.data()));
  if (error != std::errc() || !rest.starts_with(": ")) return 0;
  rest.remove_prefix(2);
  return line;
}

}  // namespace

void report_records(const contract::ResultsFile& file, const WatchLine& watch) {
  for (std::size_t i = 0; i < file.records.size(); ++i) {
    const std::string what = describe(file.records[i]);
    if (!what.empty()) watch(file.record_lines[i], what);
  }
  // The last messages are remarks on the whole log, which can also begin with "line 7: ". No line
  // was skipped because of a remark.
  const std::size_t skipped = file.skipped.size() - contract::remarks_on(file).size();
  for (const std::string& message : std::span(file.skipped).first(skipped)) {
    std::string_view why;
    const int line = line_of(message, why);
    if (line > 0) watch(line, "skipped: " + std::string(why));
  }
}

LogReport report_lines(const LogFormat& format, std::string_view text,
                       const contract::RunSpec& run) {
  std::map<int, std::vector<std::string>> read;
  LogReport report;
  const WatchLine watch = [&](int line, const std::string& what) { read[line].push_back(what); };
  if (format.explain) {
    report.content = format.explain(text, run, watch);
  } else {
    report.content = format.read(text, run);
    report_records(report.content.file, watch);
  }
  for (LogLines lines(text); lines.next();) {
    LineReport line{lines.line().number, lines.line().text, {}};
    const auto found = read.find(line.number);
    const bool is_same = !report.lines.empty() && report.lines.back().number == line.number;
    if (found != read.end() && !is_same) line.read = found->second;
    report.lines.push_back(std::move(line));
  }
  return report;
}

}  // namespace dlscale::analysis
