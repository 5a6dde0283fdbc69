// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/described_format.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/import/described/described_log.hpp"
#include "analysis/import/described/line_rule.hpp"
#include "analysis/import/line_report.hpp"
#include "analysis/import/mapped/mapped_file.hpp"

namespace dlscale::analysis {
namespace {

/// Returns whether the line has the texts that select lines of a LineMark or a LineRule.
template <class Selection>
bool has_texts(std::string_view line, const Selection& selection) {
  return line.starts_with(selection.starts) &&
         std::all_of(selection.contains.begin(), selection.contains.end(),
                     [&](const std::string& text) { return line.find(text) != line.npos; });
}

bool has_mark(const LineMark& mark, std::string_view line) {
  std::vector<std::string_view> groups;
  return has_texts(line, mark) &&
         (!mark.pattern || mark.pattern->find(line, groups) == Regex::MatchResult::yes);
}

bool is_own_line(const FormatDescription& format, std::string_view text) {
  const std::string plain = text.find('\x1b') == text.npos ? "" : without_colours(text);
  const std::string_view line = plain.empty() ? text : std::string_view(plain);
  for (const LineMark& mark : format.marks) {
    if (has_mark(mark, line)) return true;
  }
  return format.marks.empty() &&
         std::any_of(format.rules.begin(), format.rules.end(), [&](const LineRule& rule) {
           return rule.source == LineRule::Source::table && is_heading(rule.table, line);
         });
}

bool recognises(const FormatDescription& format, std::string_view head) {
  if (!format.unless.empty() && head.find(format.unless) != head.npos) return false;
  if (format.head_bytes > 0) head = head.substr(0, format.head_bytes);
  bool is_first = true, is_own = false;
  for (LogLines lines(head); !is_own && lines.next(); is_first = false) {
    if (!lines.line().complete || (format.is_first_line && !is_first)) break;
    is_own = is_own_line(format, lines.line().text);
  }
  return is_own;
}

OwnLines own_lines_of(const FormatDescription& format) {
  OwnLines own{[&format](std::string_view line) { return recognises(format, line); }, {}};
  const bool has_rank_lines =
      std::any_of(format.rules.begin(), format.rules.end(),
                  [](const LineRule& rule) { return rule.is_of_each_rank; });
  if (!has_rank_lines) return own;
  own.are_of_each_rank = [&format](std::string_view line) {
    return std::any_of(format.rules.begin(), format.rules.end(), [&](const LineRule& rule) {
      return rule.is_of_each_rank && has_texts(line, rule);
    });
  };
  return own;
}

/// Returns whether each row of a table is a run.
bool has_run_per_row(const FormatDescription& format) {
  return std::any_of(format.rules.begin(), format.rules.end(),
                     [](const LineRule& rule) { return !rule.table.run_per_row.empty(); });
}

/// Returns the text that distinguishes the run of a row, or an empty text for any other line.
std::string_view run_of_row(const FormatDescription& format, LineValues& values,
                            const LogLine& line, std::string& name) {
  for (const LineRule& rule : format.rules) {
    const LineValues::Result result = values.read(rule, line.text, line.complete);
    if (result == LineValues::Result::other) continue;
    name = rule.table.run_per_row;
    if (result == LineValues::Result::heading || name.empty()) return {};
    const auto found = std::find_if(rule.names.begin(), rule.names.end(),
                                    [&](const LineName& one) { return one.name == name; });
    return values.text(static_cast<std::size_t>(found - rule.names.begin()));
  }
  return {};
}

/// Returns the rows of the tables, each of which is a run.
std::vector<LogPart> rows_in(const FormatDescription& format, std::string_view text) {
  std::vector<LogPart> rows;
  std::map<std::string, int> seen;
  LineValues values(format);
  std::string name;
  for (LogLines lines(text); lines.next();) {
    const LogLine& line = lines.line();
    if (!line.complete || line.text.size() > kLongestLine) continue;
    const std::string run(run_of_row(format, values, line, name));
    if (run.empty()) continue;
    rows.push_back({{{name, run}}, line.offset, line.with_end.size(), line.number});
    if (++seen[run] > 1) rows.back().which["row"] = std::to_string(seen[run]);
  }
  return rows;
}

LogContent read_row(const FormatDescription& format, std::string_view text, const LogPart& part,
                    const contract::RunSpec& run) {
  DescribedLog log(format, run);
  LogLines lines(text);
  while (part.offset > 0 && lines.next() && !log.read_heading(lines.line())) {
  }
  take_lines(
      part.size > 0 && part.offset < text.size() ? text.substr(part.offset, part.size) : text,
      log.log(), [&](const LogLine& line) { log.read_line(line); }, own_lines_of(format),
      part.first_line - 1);
  // The end of a truncated table is reported for each of its runs.
  if (!text.empty() && !text.ends_with('\n')) log.log().cut_off();
  return log.finish();
}

LogContent read(const FormatDescription& format, std::string_view text,
                const contract::RunSpec& run, const WatchLine& watch) {
  DescribedLog log(format, run, watch);
  take_lines(
      text, log.log(), [&](const LogLine& line) { log.read_line(line); }, own_lines_of(format));
  return log.finish();
}

/// Reads a log with a column map or patterns.
LogContent read_whole(std::string_view log, const MappedFormat& format,
                      const contract::RunSpec& run, const WatchLine& watch) {
  LogContent content = read_mapped(log, format, {}, run, watch);
  content.has_end_line = false;
  return content;
}

}  // namespace

DescribedFormat::DescribedFormat(std::string_view text, const std::string& file,
                                 std::optional<int> epochs_from)
    : text_(text) {
  auto mapped = parse_mapped_format(text, file);
  if (!mapped) {
    use_rules(text, file);
    return;
  }
  if (epochs_from && !mapped->format.counts.epochs_from) {
    mapped->format.counts.epochs_from = *epochs_from;
  }
  for (const MisspeltGroup& group : misspelt_groups(mapped->format)) {
    const bool is_pattern = mapped->format.kind == "pattern";
    const base::Location where = is_pattern ? mapped->places[group.pattern] : base::Location{file};
    warnings_.emplace_back(
        base::SpecError(where, is_pattern ? "line" : "columns", group.text).what());
  }
  mapped_ = std::make_shared<const MappedFile>(*mapped);
  entry_.name = mapped_->name.c_str();
  entry_.summary = "columns or patterns that the user describes";
  entry_.file = "stdout";
  entry_.recognises = [format = mapped_->format](std::string_view head) {
    return has_rows(head, format);
  };
  entry_.read = [format = mapped_->format](std::string_view log, const contract::RunSpec& run) {
    return read_whole(log, format, run, {});
  };
  entry_.explain = [format = mapped_->format](std::string_view log, const contract::RunSpec& run,
                                              const WatchLine& watch) {
    std::vector<std::pair<int, std::string>> found;
    LogContent content = read_whole(log, format, run, [&](int line, const std::string& what) {
      found.emplace_back(line, what);
    });
    std::set<int> reported;  // lines with a record, or with the reason why they were skipped
    report_records(content.file, [&](int line, const std::string& what) {
      reported.insert(line);
      watch(line, what);
    });
    for (const auto& [line, what] : found) {
      const bool is_said = what.starts_with(kReadMeasures) && reported.contains(line);
      if (!is_said) watch(line, what);
    }
    return content;
  };
  entry_.needs_run = true;
}

bool DescribedFormat::finds_first_epoch() const {
  return mapped_ != nullptr && !mapped_->format.counts.epochs_from;
}

std::vector<std::string> DescribedFormat::describe_unused(
    const std::set<std::size_t>& unused) const {
  if (mapped_ != nullptr) return analysis::describe_unused(*mapped_, unused);
  std::vector<std::string> warnings;
  for (const std::size_t i : unused) {
    if (i >= description_->rules.size()) break;
    warnings.emplace_back(base::SpecError(description_->rules[i].where, "line",
                                          "no line is read by this rule; no line matches it, or "
                                          "rules before it read these lines")
                              .what());
  }
  return warnings;
}

void DescribedFormat::use_rules(std::string_view text, const std::string& file) {
  description_ = std::make_shared<const FormatDescription>(parse_format(text, file));
  const auto format = description_;
  entry_.name = format->name.c_str();
  entry_.summary = format->summary.c_str();
  entry_.rates = format->rates.c_str();
  entry_.cross_check = format->cross_check.c_str();
  entry_.file = format->file.c_str();
  entry_.summary_of = format->summary_of.c_str();
  entry_.needs_run = format->needs_batch;
  entry_.tells_end = format->tells_end;
  entry_.recognises = [format](std::string_view head) { return recognises(*format, head); };
  entry_.read = [format](std::string_view log, const contract::RunSpec& run) {
    return analysis::read(*format, log, run, {});
  };
  if (has_run_per_row(*format)) {
    entry_.read = [format](std::string_view log, const contract::RunSpec& run) {
      return read_row(*format, log, {}, run);
    };
    entry_.parts = [format](std::string_view log) { return rows_in(*format, log); };
    entry_.read_part = [format](std::string_view log, const LogPart& part,
                                const contract::RunSpec& run) {
      return read_row(*format, log, part, run);
    };
  }
  entry_.explain = [format](std::string_view log, const contract::RunSpec& run,
                            const WatchLine& watch) {
    return analysis::read(*format, log, run, watch);
  };
}

}  // namespace dlscale::analysis
