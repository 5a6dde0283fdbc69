// SPDX-License-Identifier: Apache-2.0
#include "workspace/collect/check_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>
#include <set>
#include <utility>
#include <variant>

#include "analysis/import/described_format.hpp"
#include "analysis/import/foreign_text.hpp"
#include "analysis/import/imported_run.hpp"
#include "analysis/import/launch_format.hpp"
#include "analysis/import/line_report.hpp"
#include "analysis/import/reading/launcher_prefix.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/registry.hpp"
#include "base/text.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kShownText = 70, kShownResult = 44;

std::string cut(std::string_view text, std::size_t most) {
  std::string shown;
  for (const char c : text.substr(0, most)) {
    shown += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return text.size() > most ? shown + "…" : shown;
}

/// Returns the description of the run to which the log belongs. If the command line states no
/// values and the log is in runs/RUN/launch-N/, the description comes from runs/RUN/run.json.
/// Otherwise, the description contains only the values that the command line states.
contract::RunSpec run_of(const FormatCheck& check, const std::string& log) {
  const fs::path launch = fs::absolute(log).parent_path();
  const fs::path described = contract::RunDir(launch.parent_path()).run_json();
  const bool is_launch = launch.filename().string().starts_with("launch-");
  if (check.stated.empty() && is_launch && fs::exists(described)) {
    return contract::run_spec_from_json(base::read_file(described), described.string());
  }
  analysis::MergedAxes axes;
  analysis::AxisValues values;
  for (const std::string& text : check.stated) {
    const auto [name, value] = analysis::parse_stated("--set", text);
    values[name] = value;
  }
  axes.add("--set", values);
  contract::RunSpec run = analysis::imported_run("check", axes, "check-format");
  analysis::keep_what_is_said(run);
  return run;
}

void print_lines(const analysis::LogReport& report, std::ostream& out) {
  const int last = report.lines.empty() ? 0 : report.lines.back().number;
  const auto width = std::to_string(last).size();
  for (const analysis::LineReport& line : report.lines) {
    const std::string what = line.read.empty() ? "ignored" : line.read.front();
    out << fmt::format("{:>{}}  {:<{}}  {}\n", line.number, width, what, kShownResult,
                       cut(line.text, kShownText));
    for (std::size_t i = 1; i < line.read.size(); ++i) {
      out << fmt::format("{:>{}}  {}\n", "", width, line.read[i]);
    }
  }
}

/// Prints the counts, facts and problems. Returns the number of results.
int print_summary(const analysis::LogReport& report, std::ostream& out) {
  int windows = 0, epochs = 0, evaluations = 0, others = 0;
  for (const contract::ResultRecord& record : report.content.file.records) {
    if (std::holds_alternative<contract::StepWindow>(record)) ++windows;
    if (std::holds_alternative<contract::EpochRecord>(record)) ++epochs;
    if (std::holds_alternative<contract::EvalRecord>(record)) ++evaluations;
    if (std::holds_alternative<contract::InferenceRecord>(record)) ++others;
  }
  const auto ignored =
      std::count_if(report.lines.begin(), report.lines.end(),
                    [](const analysis::LineReport& line) { return line.read.empty(); });
  out << fmt::format("\n{}: {} with steps, {}, {}; {} ignored\n",
                     base::count_of(static_cast<std::int64_t>(report.lines.size()), "line"),
                     base::count_of(windows, "entry", "entries"), base::count_of(epochs, "epoch"),
                     base::count_of(evaluations, "evaluation"), ignored);
  for (const auto& [name, value] : report.content.facts) {
    out << fmt::format("fact: {} = {}\n", name, value);
  }
  for (const std::string& problem : report.content.file.skipped) {
    out << fmt::format("problem: {}\n", problem);
  }
  return windows + epochs + evaluations + others;
}

/// Rejects the path of a log that is missing or a folder.
void require_file(const std::string& log) {
  std::error_code unreadable;
  if (!fs::exists(log, unreadable)) throw base::UsageError(log + ": no such file");
  if (fs::is_directory(log, unreadable)) {
    throw base::UsageError(log + ": is a folder; name the logs in the folder");
  }
}

/// Returns the smallest epoch of the evaluations or, without evaluations, of the steps and epochs.
/// Returns -1 without epochs.
int first_epoch_in(const std::vector<contract::ResultRecord>& records) {
  int trained = -1, evaluated = -1;
  const auto take = [](int epoch, int& first) {
    if (epoch >= 0) first = first < 0 ? epoch : std::min(first, epoch);
  };
  for (const contract::ResultRecord& record : records) {
    if (const auto* one = std::get_if<contract::StepWindow>(&record)) take(one->epoch, trained);
    if (const auto* one = std::get_if<contract::EpochRecord>(&record)) take(one->epoch, trained);
    if (const auto* one = std::get_if<contract::EvalRecord>(&record)) take(one->epoch, evaluated);
  }
  return evaluated >= 0 ? evaluated : trained;
}

/// Prints how the epochs of a log count. `has_rules` is true for a format file of the user that has
/// rules with formulas.
void print_first_epoch(const analysis::LogContent& content, bool has_rules, std::ostream& out) {
  if (content.epochs_from == 1) {
    out << "note: epochs count from 1 in this log (epochs_from = 1) and from 0 in the output "
           "above\n";
  }
  if (has_rules && first_epoch_in(content.file.records) == 1) {
    out << "note: the first epoch is 1, but epochs count from 0. If the program counts from 1, "
           "write epoch = \"epoch - 1\" in the format\n";
  }
}

/// Results of a log, and the parts of the format that did not apply to it.
struct CheckedLog {
  bool has_results = false;
  std::set<std::size_t> unused_patterns;  ///< patterns or rules that read no line
};

/// Prints what the format reads from a log. Returns an empty value if the file has no text, and
/// prints the reason.
std::optional<CheckedLog> check_log(const analysis::LogFormat& format, const std::string& path,
                                    const contract::RunSpec& run, bool has_rules,
                                    std::ostream& out) {
  analysis::ForeignText log = analysis::read_foreign(path);
  if (!log.problem.empty()) {
    out << fmt::format("problem: {}: {}\n", path, log.problem);
    return std::nullopt;
  }
  const std::string text =
      analysis::without_launcher_prefixes(std::move(log.text), format.recognises);
  const analysis::LogReport report = analysis::report_lines(format, text, run);
  print_lines(report, out);
  const int results = print_summary(report, out);
  print_first_epoch(report.content, has_rules, out);
  if (!format.recognises(text.substr(0, analysis::kSampledBytes))) {
    out << "note: the format does not recognise this log; dlscale collect needs --format\n";
  }
  return CheckedLog{results > 0, report.content.unused_patterns};
}

/// Format that reads the logs: a shipped format, or a format file of the user.
class CheckedFormat {
 public:
  explicit CheckedFormat(const std::string& format) {
    if (is_format_file(format)) {
      own_.emplace(base::read_text_file(format), format);
    } else {
      shipped_ = &base::find(analysis::log_formats(), "log format", format);
    }
  }

  std::optional<CheckedLog> check(const std::string& log, const contract::RunSpec& run,
                                  std::ostream& out) const {
    if (!own_) return check_log(*shipped_, log, run, false, out);
    const contract::LaunchDir launch(fs::absolute(log).parent_path());
    const analysis::LaunchFormat format(*own_, launch, run);
    return check_log(format.entry(), log, run, !own_->is_mapped(), out);
  }

  /// Prints the warnings about a format file, and the patterns or rules that read no line.
  void print_warnings(const std::set<std::size_t>& unused, std::ostream& out) const {
    if (!own_) return;
    for (const std::string& warning : own_->warnings()) out << "warning: " << warning << '\n';
    // A format may have rules for lines that only some logs have.
    const char* const word = own_->is_mapped() ? "warning" : "note";
    for (const std::string& text : own_->describe_unused(unused)) {
      out << word << ": " << text << '\n';
    }
  }

 private:
  std::optional<analysis::DescribedFormat> own_;
  const analysis::LogFormat* shipped_ = nullptr;
};

}  // namespace

bool is_format_file(const std::string& format) {
  return format.ends_with(".toml") || format.find('/') != std::string::npos;
}

bool check_format(const FormatCheck& check, std::ostream& out) {
  const CheckedFormat format(check.format);
  for (const std::string& log : check.logs) require_file(log);
  std::vector<contract::RunSpec> runs;
  for (const std::string& log : check.logs) runs.push_back(run_of(check, log));
  bool all_read = true;
  std::optional<std::set<std::size_t>> unused;
  for (std::size_t i = 0; i < check.logs.size(); ++i) {
    if (check.logs.size() > 1) out << (i == 0 ? "" : "\n") << check.logs[i] << ":\n";
    const std::optional<CheckedLog> log = format.check(check.logs[i], runs[i], out);
    all_read = all_read && log && log->has_results;
    if (!log) continue;
    if (!unused) unused = log->unused_patterns;
    std::erase_if(*unused, [&](std::size_t one) { return !log->unused_patterns.contains(one); });
  }
  format.print_warnings(unused.value_or(std::set<std::size_t>()), out);
  return all_read;
}

}  // namespace dlscale::workspace
