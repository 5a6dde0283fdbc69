// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/mapped/mapped_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/import/mapped/measure.hpp"
#include "analysis/import/reading/regex.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "config/toml/fields.hpp"

namespace dlscale::analysis {
namespace {

using config::Entry;
using config::Node;

constexpr std::int64_t kMostCount = 1'000'000'000;  ///< maximum of counts

std::string string_at(const Node& node, const std::string& key) {
  const auto* const text = std::get_if<std::string>(&node.value);
  if (text != nullptr && !text->empty()) return *text;
  throw base::SpecError(node.where, key, "must be a regular expression in quotation marks");
}

void read_pattern(const Node& node, MappedFile& mapped) {
  const std::string pattern = string_at(node, "line");
  try {
    const Regex checked(pattern);
  } catch (const base::UsageError& error) {
    throw base::SpecError(node.where, "line", error.what());
  }
  mapped.format.patterns.push_back(pattern);
  mapped.places.push_back(node.where);
}

void read_lines(const Node& node, MappedFile& mapped) {
  if (const auto* const list = std::get_if<config::List>(&node.value)) {
    for (const Node& each : *list) read_pattern(each, mapped);
  } else {
    read_pattern(node, mapped);
  }
  if (mapped.format.patterns.empty())
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
  } else if (item.key == "epochs_from") {
    counts.epochs_from = item.whole(0, 1);
  } else if (item.key == "train_samples") {
    counts.train_samples = item.whole(1, kMostCount);
  } else {
    return false;
  }
  return true;
}

/// Throws base::SpecError if the key is set and the rows have no field for the number that it
/// counts, which is a step or an epoch.
void require_number(const config::Table& root, const MappedFormat& format, const char* key,
                    const char* counted) {
  const Entry* const entry = config::find_key(root, key);
  if (entry == nullptr || has_field(format, counted)) return;
  const config::Item item{entry->node, entry->key};
  item.fail(format.kind == "pattern"
                ? fmt::format("requires the {0} number; name a group of an expression: "
                              "(?<{0}>\\d+)",
                              counted)
                : fmt::format("requires the {0} number; state its column: columns.{0} = "
                              "\"COLUMN\"",
                              counted));
}

/// Throws base::SpecError if the keys of RowCounts contradict each other or the fields of the rows.
void check_counts(const config::Table& root, const MappedFormat& format) {
  const Entry* const from = config::find_key(root, "counts_from");
  if (from != nullptr && format.counts.steps > 0) {
    config::Item{from->node, from->key}.fail(
        "cannot be combined with steps; remove one of the two keys");
  }
  require_number(root, format, "counts_from", "step");
  require_number(root, format, "epochs_from", "epoch");
}

MappedFile read_mapped_file(const Node& root, const std::string& file) {
  MappedFile mapped{"", {.kind = "pattern"}, {}};
  MappedFormat& format = mapped.format;
  const bool is_columns =
      config::find_key(std::get<config::Table>(root.value), "columns") != nullptr;
  if (is_columns) format.kind = "csv";
  for (const Entry& entry : std::get<config::Table>(root.value)) {
    const config::Item item{entry.node, entry.key};
    if (entry.key == "name") {
      mapped.name = item.plain_name();
    } else if (entry.key == "line" && !is_columns) {
      read_lines(entry.node, mapped);
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
      known.insert(known.end(),
                   {"name", "steps", "counts_from", "warmup_rows", "epochs_from", "train_samples"});
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

MappedFile parse_pattern_file(std::string_view text, const std::string& file) {
  return read_mapped_file(config::parse_document(text, file), file);
}

namespace {

/// Returns whether the expression contains a "|" that separates alternatives.
bool has_alternatives(std::string_view pattern) {
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\') {
      ++i;
    } else if (in_class ? c == ']' : c == '[') {
      in_class = !in_class;
    } else if (c == '|' && !in_class) {
      return true;
    }
  }
  return false;
}

std::string describe_unused_groups(std::string_view pattern,
                                   const std::vector<std::string>& groups) {
  return fmt::format("the {} {} of the pattern '{}' never matched{}",
                     groups.size() == 1 ? "group" : "groups", fmt::join(groups, ", "), pattern,
                     has_alternatives(pattern) ? "; a literal | must be written \\|" : "");
}

}  // namespace

std::vector<std::string> describe_unused(const MappedFile& mapped,
                                         const std::set<std::size_t>& unused) {
  const std::vector<std::string>& patterns = mapped.format.patterns;
  std::vector<std::string> warnings;
  std::size_t group = patterns.size();
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    std::vector<std::string> groups;
    for (const auto& [name, number] : Regex(patterns[i]).names()) {
      if (unused.contains(group++)) groups.push_back(name);
    }
    std::string text;
    if (unused.contains(i)) {
      text = fmt::format(
          "no line is read by the pattern '{}'; no line matches it, or patterns before it match "
          "first",
          patterns[i]);
    } else if (!groups.empty()) {
      text = describe_unused_groups(patterns[i], groups);
    } else {
      continue;
    }
    warnings.emplace_back(base::SpecError(mapped.places[i], "line", text).what());
  }
  return warnings;
}

}  // namespace dlscale::analysis
