// SPDX-License-Identifier: Apache-2.0
// Reads logs whose content the user describes: tables (CSV, Markdown), lines of JSON objects and
// regular expressions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/cells/number_cell.hpp"
#include "analysis/import/mapped/measure.hpp"
#include "analysis/import/reading/log_format.hpp"

namespace dlscale::analysis {

/// Statements of the user about all rows of a format. `steps` and `counts_from` exclude each other.
struct RowCounts {
  /// Optimizer steps of each row that does not state its steps and does not cover an epoch. 0: one
  /// step.
  std::int64_t steps = 0;
  /// Number of the first step, 0 or 1. If this number is set, a row that states its step number but
  /// not its number of steps covers all steps since the row before it.
  std::optional<std::int64_t> counts_from = std::nullopt;
  /// Number of rows at the start of a run that are warm-up. Only rows with a time or a rate count.
  std::int64_t warmup_rows = 0;
  /// Number of the first epoch, 0 or 1. If this number is not set, the log decides (EpochNumbers).
  std::optional<std::int64_t> epochs_from = std::nullopt;
  /// Number of training samples of an epoch. 0: the run or the log states it, or it is unknown.
  std::int64_t train_samples = 0;
  bool operator==(const RowCounts&) const = default;
};

struct MappedFormat {
  std::string kind;                   ///< csv, jsonl, markdown or pattern; empty: not mapped
  std::vector<MappedColumn> columns;  ///< mapped columns of csv, jsonl and markdown
  /// Regular expressions of the kind pattern. The first expression that matches a line is used. The
  /// named groups of the expression are measures (Measure) or facts about the run.
  std::vector<std::string> patterns;
  std::map<std::string, double> factors;  ///< factors that multiply measures, for the kind pattern
  /// Decimal mark that the user states for csv and markdown. If the user states no decimal mark,
  /// the numbers in the file determine it.
  DecimalMark decimal = DecimalMark::unknown;
  RowCounts counts = {};
  bool operator==(const MappedFormat&) const = default;
};

inline constexpr const char* kMappedKinds[] = {"csv", "jsonl", "markdown", "pattern"};

/// Throws base::UsageError if no measure is mapped, if a field is mapped twice, or if a regular
/// expression is invalid.
void check(const MappedFormat& format);

/// Returns true if a column or a group of a pattern has the name of the measure. The regular
/// expressions must be valid.
bool has_field(const MappedFormat& format, std::string_view measure);

using AxisValues = std::map<std::string, std::string>;

/// Returns true if any line in the beginning of a log is a row of the format. Never throws on
/// content.
bool has_rows(std::string_view head, const MappedFormat& format);

/// Returns the runs in a text, in the order of the text. There is one run for each combination of
/// values in the columns that are mapped to axes. Each part covers the lines of its rows. Returns a
/// single run without axes if no column is mapped to an axis. Throws base::UsageError if a column
/// is missing. The error message lists the columns that exist. It does not contain the file name,
/// which the caller adds.
std::vector<LogPart> runs_in(std::string_view text, const MappedFormat& format);

/// Text before the measures of a row that read_mapped() passes to its `watch`.
inline constexpr const char* kReadMeasures = "read: ";

/// Reads the rows of one run. Returns empty content if a column is missing. Never throws on
/// content. If `watch` is not empty, calls `watch` for the measures of each row, and also for each
/// fact if the kind of the format is pattern.
LogContent read_mapped(std::string_view text, const MappedFormat& format, const LogPart& part,
                       const contract::RunSpec& run, const WatchLine& watch = {});

/// Named group of a pattern, or field of a column, that is probably misspelt.
struct MisspeltGroup {
  std::size_t pattern = 0;  ///< index in MappedFormat::patterns; 0 for a field of a column
  std::string text;         ///< message of one line
};

/// Returns each named group and each field that is probably misspelt. Such a name is neither a
/// measure nor a setting of runs. Either other programs use the name for a measure that the
/// expression or the table lacks, or the expression has no measure from which a step, an epoch or
/// an evaluation is made.
std::vector<MisspeltGroup> misspelt_groups(const MappedFormat& format);

}  // namespace dlscale::analysis
