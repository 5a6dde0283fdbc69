// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/import/mapped_format.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "analysis/store/formats/log_lines.hpp"
#include "analysis/store/import/row_reader.hpp"
#include "analysis/store/import/row_records.hpp"
#include "base/error.hpp"

namespace dlscale::analysis {
namespace {

/// Hands each line that can be read to `take(row)`, and what is wrong with others to `skip`.
template <class Take, class Skip>
void each_row(std::string_view text, RowReader& reader, Take take, Skip skip) {
  LogLines lines(text);
  while (lines.next()) {
    const LogLine& line = lines.line();
    if (line.text.size() > kLongestLine) {
      skip(line, fmt::format("has {} bytes; at most {} are read", line.text.size(), kLongestLine));
      continue;
    }
    TextRow row;
    const std::string problem = reader.read(line.text, row);
    if (!problem.empty()) {
      skip(line, problem);
    } else if (!row.empty()) {
      take(line, row);
    }
  }
}

AxisValues axes_of(const TextRow& row) {
  AxisValues axes;
  for (const auto& [field, value] : row) {
    if (!find_measure(field)) axes[field] = value;
  }
  return axes;
}

/// The numbers of a row, or why it has none.
std::string read_numbers(const TextRow& row, const MappedFormat& format, MeasuredRow& numbers) {
  for (const auto& [field, value] : row) {
    const auto measure = find_measure(field);
    if (!measure || value.empty()) continue;
    double number = 0;
    if (!read_number(value, number)) return fmt::format("{} is no number: \"{}\"", field, value);
    const auto factor = format.factors.find(field);
    if (factor != format.factors.end()) number *= factor->second;
    for (const MappedColumn& column : format.columns) {
      if (column.field == field) number *= column.factor;
    }
    numbers[*measure] = number;
  }
  return "";
}

/// The global batch that a log says itself; 0 where it does not.
std::int64_t batch_in(const AxisValues& facts) {
  const auto number = [&](const char* name) {
    const auto found = facts.find(name);
    double value = 0;
    const bool is_one = found != facts.end() && read_number(found->second, value);
    return is_one && value >= 1 && value < 1e9 ? std::llround(value) : 0;
  };
  const std::int64_t whole = number("global_batch");
  return whole > 0 ? whole : number("batch_per_gpu") * number("gpus");
}

bool has_measure(const MappedFormat& format) {
  if (format.kind == "pattern") return true;  // make_row_reader sees to it
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
    throw base::UsageError(fmt::format(
        "--format {}: say with --map FIELD=COLUMN what its columns mean; fields are axes of the "
        "runs, repetition, and {}",
        format.kind, fmt::join(names, ", ")));
  }
  make_row_reader(format);
}

std::vector<AxisValues> runs_in(std::string_view text, const MappedFormat& format) {
  if (format.kind == "pattern") return {{}};
  const std::unique_ptr<RowReader> reader = make_row_reader(format);
  std::vector<AxisValues> runs;
  std::set<AxisValues> known;
  each_row(
      text, *reader,
      [&](const LogLine&, const TextRow& row) {
        AxisValues axes = axes_of(row);
        if (known.insert(axes).second) runs.push_back(std::move(axes));
      },
      [](const LogLine&, const std::string&) {});
  reader->require_columns();
  if (runs.empty()) runs.emplace_back();
  return runs;
}

LogContent read_mapped(std::string_view text, const MappedFormat& format, const AxisValues& which,
                       const contract::RunSpec& run) {
  const std::unique_ptr<RowReader> reader = make_row_reader(format);
  const bool has_axes = format.kind != "pattern";
  LogContent content;
  contract::RunSpec known = run;
  RowRecords records(known);
  bool truncated = false;
  each_row(
      text, *reader,
      [&](const LogLine& line, const TextRow& row) {
        const AxisValues axes = axes_of(row);
        if (has_axes && axes != which) return;
        if (!has_axes) content.facts.insert(axes.begin(), axes.end());
        MeasuredRow numbers;
        const std::string problem = read_numbers(row, format, numbers);
        if (problem.empty()) {
          records.add(line.number, numbers);
        } else {
          records.skip(line.number, problem);
        }
      },
      [&](const LogLine& line, const std::string& why) {
        truncated = truncated || !line.complete;
        if (line.complete) records.skip(line.number, why);
      });
  if (known.global_batch <= 0) known.global_batch = batch_in(content.facts);
  content.file = records.finish();
  content.file.truncated = truncated;
  try {
    reader->require_columns();
  } catch (const base::UsageError& error) {
    content.file = {};
    content.file.skipped = {error.what()};
  }
  return content;
}

}  // namespace dlscale::analysis
