// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/mapped/mapped_file.hpp"

#include <algorithm>

#include "analysis/import/mapped/measure.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "config/toml/fields.hpp"

namespace dlscale::analysis {
namespace {

using config::Entry;
using config::Node;

constexpr std::int64_t kMostCount = 1'000'000'000;  ///< maximum of steps and warmup_rows

std::string string_at(const Node& node, const std::string& key) {
  const auto* const text = std::get_if<std::string>(&node.value);
  if (text != nullptr && !text->empty()) return *text;
  throw base::SpecError(node.where, key, "must be a regular expression in quotation marks");
}

void read_lines(const Node& node, MappedFormat& format) {
  if (const auto* const list = std::get_if<config::List>(&node.value)) {
    for (const Node& each : *list) format.patterns.push_back(string_at(each, "line"));
  } else {
    format.patterns.push_back(string_at(node, "line"));
  }
  if (format.patterns.empty())
    throw base::SpecError(node.where, "line", "must contain at least one regular expression");
}

void read_factors(const Node& node, MappedFormat& format) {
  const auto* const table = std::get_if<config::Table>(&node.value);
  if (table == nullptr) throw base::SpecError(node.where, "factor", "must be a table of numbers");
  std::vector<std::string> known;
  for (const MeasureEntry& entry : measures()) known.emplace_back(entry.name);
  for (const Entry& entry : *table) {
    if (!find_measure(entry.key)) {
      throw base::SpecError(entry.where, "factor", base::unknown_name("field", entry.key, known));
    }
    const auto* const real = std::get_if<double>(&entry.node.value);
    const auto* const whole = std::get_if<std::int64_t>(&entry.node.value);
    const double factor = real != nullptr    ? *real
                          : whole != nullptr ? static_cast<double>(*whole)
                                             : 0;
    if (!(factor > 0)) {
      throw base::SpecError(entry.node.where, "factor." + entry.key, "must be a number above 0");
    }
    format.factors[entry.key] = factor;
  }
}

/// Returns true if the table has keys of a pattern file or a column map, and no rules.
bool is_mapped(const config::Table& root) {
  const Entry* const line = config::find_key(root, "line");
  if (config::find_key(root, "columns") != nullptr) return true;
  if (line == nullptr) return false;
  if (std::holds_alternative<std::string>(line->node.value)) return true;
  const auto* const list = std::get_if<config::List>(&line->node.value);
  return list != nullptr && std::all_of(list->begin(), list->end(), [](const Node& node) {
           return std::holds_alternative<std::string>(node.value);
         });
}

/// Reads the columns of a table: field = "COLUMN" or field = "COLUMN*FACTOR".
void read_columns(const config::Item& item, MappedFormat& format) {
  for (const Entry& entry : item.table()) {
    const config::Item column{entry.node, "columns." + entry.key};
    try {
      format.columns.push_back(parse_mapping(entry.key + "=" + column.word()));
    } catch (const base::UsageError& error) {
      column.fail(error.what());
    }
  }
}

/// Reads a key of RowCounts. Returns false for any other key.
bool read_counts(const config::Item& item, RowCounts& counts) {
  if (item.key == "steps") {
    counts.steps = item.whole(1, kMostCount);
  } else if (item.key == "counts_from") {
    counts.counts_from = item.whole(0, 1);
  } else if (item.key == "warmup_rows") {
    counts.warmup_rows = item.whole(0, kMostCount);
  } else {
    return false;
  }
  return true;
}

/// Throws base::SpecError if the keys of RowCounts contradict each other, or if the key counts_from
/// is set and the rows have no field for the step number.
void check_counts(const config::Table& root, const MappedFormat& format) {
  const Entry* const from = config::find_key(root, "counts_from");
  if (from == nullptr) return;
  const config::Item item{from->node, from->key};
  if (format.counts.steps > 0) {
    item.fail("cannot be combined with steps; remove one of the two keys");
  }
  if (has_field(format, "step")) return;
  item.fail(format.kind == "pattern"
                ? "requires the step number; name a group of an expression: (?<step>\\d+)"
                : "requires the step number; state its column: columns.step = \"COLUMN\"");
}

MappedFile read_mapped_file(const Node& root, const std::string& file) {
  MappedFile mapped{"", {.kind = "pattern"}};
  MappedFormat& format = mapped.format;
  const bool is_columns =
      config::find_key(std::get<config::Table>(root.value), "columns") != nullptr;
  if (is_columns) format.kind = "csv";
  for (const Entry& entry : std::get<config::Table>(root.value)) {
    const config::Item item{entry.node, entry.key};
    if (entry.key == "name") {
      mapped.name = item.plain_name();
    } else if (entry.key == "line" && !is_columns) {
      read_lines(entry.node, format);
    } else if (entry.key == "factor" && !is_columns) {
      read_factors(entry.node, format);
    } else if (entry.key == "columns") {
      read_columns(item, format);
    } else if (entry.key == "kind" && is_columns) {
      format.kind = item.one_of("kind", {"csv", "jsonl", "markdown"});
    } else if (entry.key == "decimal" && is_columns) {
      format.decimal = item.one_of("value", {"point", "comma"}) == "comma" ? DecimalMark::comma
                                                                           : DecimalMark::point;
    } else if (!read_counts(item, format.counts)) {
      std::vector<std::string> known = is_columns
                                           ? std::vector<std::string>{"columns", "kind", "decimal"}
                                           : std::vector<std::string>{"line", "factor"};
      known.insert(known.end(), {"name", "steps", "counts_from", "warmup_rows"});
      throw base::SpecError(entry.where, "", base::unknown_name("key", entry.key, known));
    }
  }
  const char* const key = is_columns ? "columns" : "line";
  if (!is_columns && format.patterns.empty()) {
    throw base::SpecError({file}, key,
                          "missing; give the regular expressions that match the lines of the logs");
  }
  try {
    check(format);
  } catch (const base::UsageError& error) {
    throw base::SpecError({file}, key, error.what());
  }
  check_counts(std::get<config::Table>(root.value), format);
  if (mapped.name.empty()) mapped.name = format.kind;
  return mapped;
}

}  // namespace

std::optional<MappedFile> parse_mapped_format(std::string_view text, const std::string& file) {
  const Node root = config::parse_document(text, file);
  if (!is_mapped(std::get<config::Table>(root.value))) return std::nullopt;
  return read_mapped_file(root, file);
}

MappedFormat parse_pattern_file(std::string_view text, const std::string& file) {
  return read_mapped_file(config::parse_document(text, file), file).format;
}

}  // namespace dlscale::analysis
