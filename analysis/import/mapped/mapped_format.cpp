// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/mapped/mapped_format.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "analysis/import/mapped/measured_cell.hpp"
#include "analysis/import/mapped/row_reader.hpp"
#include "analysis/import/mapped/row_records.hpp"
#include "analysis/import/reading/log_lines.hpp"
#include "analysis/import/reading/ranks_of_log.hpp"
#include "analysis/import/reading/regex.hpp"
#include "base/error.hpp"

namespace dlscale::analysis {
namespace {

/// Returns the test that recognises rows in a log of several processes. Returns an empty test for
/// tables, because a single line does not show whether it belongs to a table.
OwnLines own_lines_of(const MappedFormat& format) {
  if (format.kind != "pattern" && format.kind != "jsonl") return {};
  const std::shared_ptr<RowReader> reader = make_row_reader(format);
  return {.are_own =
              [reader](std::string_view line) {
                TextRow row;
                return reader->read(line, row).empty() && !row.empty();
              },
          .are_of_each_rank = {}};
}

/// Returns true if a row states its rank. The reader uses rows with a rank from all processes, but
/// uses rows without a rank from one process only.
bool names_ranks(const TextRow& row) {
  return std::any_of(row.begin(), row.end(),
                     [](const auto& cell) { return find_measure(cell.first) == Measure::rank; });
}

/// Calls `visit` for each row of each readable line and `skip` with the reason for each unreadable
/// line.
template <class Visit, class Skip>
void each_row(LogLines& lines, RowReader& reader, RanksOfLog& ranks, Visit visit, Skip skip) {
  while (lines.next()) {
    const LogLine& line = lines.line();
    if (line.text.size() > kLongestLine) {
      skip(line, fmt::format("has {} bytes; at most {} are read", line.text.size(), kLongestLine));
      continue;
    }
    TextRow row;
    const std::string problem = reader.read(line.text, row);
    if (line.has_process() && !names_ranks(row) && !ranks.counts(line, lines.rest())) continue;
    if (!problem.empty()) {
      skip(line, problem);
    } else if (!row.empty()) {
      do visit(line, row);
      while (reader.more(row));
    }
  }
}

AxisValues format_axes_of(const TextRow& row, const FieldMarks& marks) {
  AxisValues axes;
  for (const auto& [field, value] : row) {
    if (!find_measure(field)) axes[field] = axis_text(field, value, marks.mark_of(field));
  }
  return axes;
}

double factor_of(const std::string& field, const MappedFormat& format) {
  const auto stated = format.factors.find(field);
  double factor = stated == format.factors.end() ? 1 : stated->second;
  for (const MappedColumn& column : format.columns) {
    if (column.field == field) factor *= column.factor;
  }
  return factor;
}

/// Reads the numbers of a row. Returns an error message, or an empty text on success.
std::string read_numbers(const TextRow& row, const MappedFormat& format, const FieldMarks& marks,
                         MeasuredRow& numbers) {
  for (const auto& [field, value] : row) {
    const auto measure = find_measure(field);
    if (!measure || is_blank_cell(value)) continue;
    double number = 0;
    double resolution = 0;
    const std::string problem = read_measure(*measure, value, marks.mark_of(field),
                                             factor_of(field, format), number, &resolution);
    if (!problem.empty()) return problem;
    numbers[*measure] = number;
    if (measure == Measure::elapsed_s) numbers.clock_resolution_s = resolution;
  }
  return "";
}

/// Returns the text of a part of the log. The reader first reads lines from the start of the log
/// until the reader knows the headings. If the reader needs all lines of the log, the returned text
/// begins at the start of the log.
std::string_view part_text_of(std::string_view text, const LogPart& part, RowReader& reader) {
  if (part.size == 0 || part.offset >= text.size()) return text;
  if (reader.needs_all()) return text.substr(0, part.offset + part.size);
  for (LogLines lines(text); !reader.is_ready() && lines.next();) {
    TextRow ignored;
    if (lines.line().text.size() <= kLongestLine) reader.read(lines.line().text, ignored);
  }
  return text.substr(part.offset, part.size);
}

/// Returns a count stated in the log, or 0 if the log does not state it.
std::int64_t reported_count(const AxisValues& facts, const char* name) {
  const auto found = facts.find(name);
  double value = 0;
  const bool is_one = found != facts.end() && read_number(found->second, value);
  return is_one && value >= 1 && value < 1e9 ? std::llround(value) : 0;
}

/// Copies the global batch and the number of training samples from the log into the run, unless
/// another source states them. A number of training samples in `counts` has priority. Copies the
/// number of epochs. If no source states the number of epochs, sets it to 0.
void take_counts(const AxisValues& facts, const RowCounts& counts, contract::RunSpec& run) {
  if (run.global_batch <= 0) run.global_batch = reported_count(facts, "global_batch");
  if (run.global_batch <= 0) {
    run.global_batch = reported_count(facts, "batch_per_gpu") * reported_count(facts, "gpus");
  }
  std::int64_t& train_samples = run.dataset.train_samples;
  if (counts.train_samples > 0) train_samples = counts.train_samples;
  if (train_samples <= 0) train_samples = reported_count(facts, "train_samples");
  const bool is_planned = !run.trainer.command.empty();
  if (!is_planned && !run.point.contains("epochs")) run.epochs = 0;
  const std::int64_t epochs = reported_count(facts, "epochs");
  if (epochs > 0) run.epochs = static_cast<int>(epochs);
}

/// Returns the measures of a row with their texts: "epoch = 1, loss = 0.5".
std::string measures_in(const TextRow& row) {
  std::vector<std::string> parts;
  for (const auto& [field, value] : row) {
    if (!find_measure(field) || is_blank_cell(value)) continue;
    parts.push_back(fmt::format("{} = {}", field, value));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Returns whether a row with this measure alone becomes a step, an epoch or an evaluation.
bool is_result(Measure measure) {
  switch (measure) {
    case Measure::samples:
    case Measure::rank_samples:
    case Measure::steps:
    case Measure::step:
    case Measure::epoch:
    case Measure::rank:
    case Measure::warmup:
    case Measure::lr:
    case Measure::loss:
    case Measure::top5_accuracy:
      return false;
    default:
      return true;
  }
}

bool has_measure(const MappedFormat& format) {
  if (format.kind == "pattern") return true;  // make_row_reader checks the patterns
  return std::any_of(format.columns.begin(), format.columns.end(), [](const MappedColumn& column) {
    return find_measure(column.field).has_value();
  });
}

}  // namespace

void check(const MappedFormat& format) {
  std::set<std::string> fields;
  for (const MappedColumn& column : format.columns) {
    if (fields.insert(column.field).second) continue;
    throw base::UsageError(fmt::format("--map: {} is mapped twice", column.field));
  }
  if (!has_measure(format)) {
    std::vector<std::string> names;
    for (const MeasureEntry& entry : measures()) names.emplace_back(entry.name);
    throw base::UsageError(
        fmt::format("--format {}: map the columns of the file to fields with --map FIELD=COLUMN; "
                    "fields are the axes of the runs, repetition, and {}",
                    format.kind, fmt::join(names, ", ")));
  }
  make_row_reader(format);
}

bool has_field(const MappedFormat& format, std::string_view measure) {
  const auto is_measure = [&](const auto& group) { return group.first == measure; };
  return std::any_of(format.columns.begin(), format.columns.end(),
                     [&](const MappedColumn& column) { return column.field == measure; }) ||
         std::any_of(format.patterns.begin(), format.patterns.end(),
                     [&](const std::string& pattern) {
                       const auto groups = Regex(pattern).names();
                       return std::any_of(groups.begin(), groups.end(), is_measure);
                     });
}

bool has_rows(std::string_view head, const MappedFormat& format) {
  const std::unique_ptr<RowReader> reader = make_row_reader(format);
  for (LogLines lines(head); lines.next();) {
    TextRow row;
    const bool is_short = lines.line().text.size() <= kLongestLine;
    if (is_short && reader->read(lines.line().text, row).empty() && !row.empty()) return true;
  }
  return false;
}

std::vector<LogPart> runs_in(std::string_view text, const MappedFormat& format) {
  if (format.kind == "pattern") return {{}};
  const std::unique_ptr<RowReader> reader = make_row_reader(format);
  const FieldMarks marks(text, format);
  std::vector<LogPart> runs;
  std::map<AxisValues, std::size_t> known;
  std::size_t current = 0;
  LogLines lines(text);
  // Lines between the rows of two runs belong to the earlier run.
  const auto end_of = [&](const LogLine& line) {
    const auto end = static_cast<std::size_t>(line.text.data() + line.text.size() - text.data());
    return std::min(text.find('\n', end), text.size() - 1) + 1;
  };
  RanksOfLog ranks(own_lines_of(format));
  // First unreadable line before the first run. The first run reports this line.
  LogPart skipped{.first_line = 0};
  each_row(
      lines, *reader, ranks,
      [&](const LogLine& line, const TextRow& row) {
        const auto [run, is_new] = known.try_emplace(format_axes_of(row, marks), runs.size());
        current = run->second;
        if (is_new) {
          const bool has_skipped = runs.empty() && skipped.first_line > 0;
          runs.push_back({run->first, has_skipped ? skipped.offset : line.offset, 0,
                          has_skipped ? skipped.first_line : line.number});
        }
        runs[current].size = end_of(line) - runs[current].offset;
      },
      [&](const LogLine& line, const std::string&) {
        if (!runs.empty()) {
          runs[current].size = end_of(line) - runs[current].offset;
        } else if (skipped.first_line == 0) {
          skipped = {{}, line.offset, 0, line.number};
        }
      });
  reader->require_columns();
  if (runs.empty()) return {{}};
  if (runs.size() == 1) return {{runs.front().which}};  // size 0: the whole log
  return runs;
}

LogContent read_mapped(std::string_view text, const MappedFormat& format, const LogPart& part,
                       const contract::RunSpec& run, const WatchLine& watch) {
  const std::unique_ptr<RowReader> reader = make_row_reader(format);
  const FieldMarks marks(text, format);
  const bool has_axes = format.kind != "pattern";
  LogContent content;
  contract::RunSpec known = run;
  RowRecords records(known, format.counts);
  bool truncated = false;
  int before = 0;
  const auto visit = [&](const LogLine& line, const TextRow& row) {
    const AxisValues axes = format_axes_of(row, marks);
    if (has_axes && axes != part.which) return;
    if (!has_axes) content.facts.insert(axes.begin(), axes.end());
    if (!has_axes && watch) {
      for (const auto& [name, value] : axes) {
        watch(before + line.number, fmt::format("fact: {} = {}", name, value));
      }
    }
    const std::string measured = watch ? measures_in(row) : "";
    if (!measured.empty()) watch(before + line.number, kReadMeasures + measured);
    MeasuredRow numbers;
    const std::string problem = read_numbers(row, format, marks, numbers);
    if (problem.empty()) {
      records.add(before + line.number, numbers);
    } else {
      records.skip_row(before + line.number, problem);
    }
  };
  const auto skip = [&](const LogLine& line, const std::string& why) {
    if (part.size > 0 && before + line.number < part.first_line) return;  // belongs to another run
    const bool is_cut_off = !line.complete && !reader->is_about_other();
    truncated = truncated || is_cut_off;
    if (is_cut_off) return;
    if (reader->is_about_other()) {
      records.skip(before + line.number, why);
    } else {
      records.skip_row(before + line.number, why);
    }
  };
  const std::string_view rows = part_text_of(text, part, *reader);
  if (rows.data() != text.data()) before = part.first_line - 1;
  LogLines lines(rows);
  RanksOfLog ranks(own_lines_of(format));
  each_row(lines, *reader, ranks, visit, skip);
  if (ranks.first_left_out() > 0) {
    records.skip(before + ranks.first_left_out(), ranks.what_is_left_out());
  }
  take_counts(content.facts, format.counts, known);
  content.file = records.finish();
  content.file.truncated = truncated;
  content.epochs_from = records.epochs_from();
  content.unused_patterns = reader->unused_patterns();
  if (part.size > 0) return content;  // runs_in checked the columns
  try {
    reader->require_columns();
  } catch (const base::UsageError& error) {
    content.file = {};
    content.file.skipped = {error.what()};
  }
  return content;
}

namespace {

/// Returns why a name that is not a measure is probably misspelt, or an empty text. `used` returns
/// whether the same expression or table has a measure. `gives_result` is true if the rows become
/// steps, epochs or evaluations without this name.
template <class Used>
std::string misspelt_name(const std::string& name, bool gives_result, Used used) {
  if (find_measure(name) || is_run_field(name)) return "";
  const std::string meant = measure_called(name);
  const bool is_missing = !meant.empty() && !used(meant);
  if (gives_result && !is_missing) return "";
  std::vector<std::string> measured;
  for (const MeasureEntry& entry : measures()) measured.emplace_back(entry.name);
  return fmt::format(
      "\"{}\" is not a measured field, so its value becomes a fact about the run{}{} (measured "
      "fields: {})",
      name, gives_result ? "" : ", and the lines of its pattern give no steps",
      meant.empty() ? "" : fmt::format("; did you mean \"{}\"?", meant), fmt::join(measured, ", "));
}

std::vector<MisspeltGroup> misspelt_columns(const MappedFormat& format) {
  std::vector<MisspeltGroup> found;
  for (const MappedColumn& column : format.columns) {
    const std::string text = misspelt_name(
        column.field, true, [&](const std::string& name) { return has_field(format, name); });
    if (!text.empty()) found.push_back({0, "the field " + text});
  }
  return found;
}

}  // namespace

std::vector<MisspeltGroup> misspelt_groups(const MappedFormat& format) {
  if (format.kind != "pattern") return misspelt_columns(format);
  std::vector<MisspeltGroup> found;
  for (std::size_t i = 0; i < format.patterns.size(); ++i) {
    const auto groups = Regex(format.patterns[i]).names();
    const bool gives_result = std::any_of(groups.begin(), groups.end(), [](const auto& group) {
      const auto measure = find_measure(group.first);
      return measure && is_result(*measure);
    });
    for (const auto& [name, number] : groups) {
      const std::string why = misspelt_name(name, gives_result, [&](const std::string& meant) {
        return std::any_of(groups.begin(), groups.end(),
                           [&](const auto& group) { return group.first == meant; });
      });
      const std::string text = "the group " + why;
      const bool is_known = std::ranges::count(found, text, &MisspeltGroup::text) > 0;
      if (!why.empty() && !is_known) found.push_back({i, text});
    }
  }
  return found;
}

}  // namespace dlscale::analysis
