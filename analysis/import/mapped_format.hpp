// SPDX-License-Identifier: Apache-2.0
// Logs of which users say what is in them: tables (CSV), JSON objects a line, regular expressions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/cells/number_cell.hpp"
#include "analysis/import/measure.hpp"
#include "analysis/import/reading/log_format.hpp"

namespace dlscale::analysis {

struct MappedFormat {
  std::string kind;                   ///< csv, jsonl, markdown, pattern; empty: none of them
  std::vector<MappedColumn> columns;  ///< csv, jsonl, markdown
  /// pattern: tried on each line, the first that matches counts. Its named groups are measures or
  /// facts of the run.
  std::vector<std::string> patterns;
  std::map<std::string, double> factors;  ///< pattern: of measures
  /// csv, markdown: the decimal mark that the user states; unknown: the numbers show it.
  DecimalMark decimal = DecimalMark::unknown;
  bool operator==(const MappedFormat&) const = default;
};

inline constexpr const char* kMappedKinds[] = {"csv", "jsonl", "markdown", "pattern"};

/// Throws base::UsageError when no measure is mapped, a field twice, or an expression is none.
void check(const MappedFormat& format);

using AxisValues = std::map<std::string, std::string>;

/// Whether some line of a log's beginning is a row of the format. Never throws on content.
bool has_rows(std::string_view head, const MappedFormat& format);

/// The runs in a text: each combination of the columns that are mapped to axes, in the order of
/// the text, with the lines that its rows lie in; one without axes where there are no such columns.
/// Throws base::UsageError (without
/// the file's name) when a column is missing: it names those that are there.
std::vector<LogPart> runs_in(std::string_view text, const MappedFormat& format);

/// What the rows of one of these runs say; nothing where a column is missing. Never throws on
/// content.
LogContent read_mapped(std::string_view text, const MappedFormat& format, const LogPart& part,
                       const contract::RunSpec& run);

}  // namespace dlscale::analysis
