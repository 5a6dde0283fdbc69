// SPDX-License-Identifier: Apache-2.0
#include "workspace/collect/pattern_file.hpp"

#include "analysis/import/measure.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/registry.hpp"
#include "config/toml/document.hpp"

namespace dlscale::workspace {
namespace {

using config::Entry;
using config::Node;

std::string string_at(const Node& node, const std::string& key) {
  const auto* const text = std::get_if<std::string>(&node.value);
  if (text != nullptr && !text->empty()) return *text;
  throw base::SpecError(node.where, key, "must be a regular expression in quotation marks");
}

void read_lines(const Node& node, analysis::MappedFormat& format) {
  if (const auto* const list = std::get_if<config::List>(&node.value)) {
    for (const Node& each : *list) format.patterns.push_back(string_at(each, "line"));
  } else {
    format.patterns.push_back(string_at(node, "line"));
  }
  if (format.patterns.empty())
    throw base::SpecError(node.where, "line", "must contain at least one regular expression");
}

void read_factors(const Node& node, analysis::MappedFormat& format) {
  const auto* const table = std::get_if<config::Table>(&node.value);
  if (table == nullptr) throw base::SpecError(node.where, "factor", "must be a table of numbers");
  std::vector<std::string> known;
  for (const analysis::MeasureEntry& entry : analysis::measures()) known.emplace_back(entry.name);
  for (const Entry& entry : *table) {
    if (!analysis::find_measure(entry.key)) {
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

}  // namespace

analysis::MappedFormat read_pattern_file(const std::filesystem::path& file) {
  const Node root = config::parse_document(base::read_text_file(file), file.string());
  analysis::MappedFormat format{.kind = "pattern"};
  for (const Entry& entry : std::get<config::Table>(root.value)) {
    if (entry.key == "line") {
      read_lines(entry.node, format);
    } else if (entry.key == "factor") {
      read_factors(entry.node, format);
    } else {
      throw base::SpecError(entry.where, "",
                            base::unknown_name("key", entry.key, {"line", "factor"}));
    }
  }
  if (format.patterns.empty()) {
    throw base::SpecError({file.string()}, "line",
                          "missing; give the regular expressions that match the lines of the logs");
  }
  try {
    analysis::check(format);
  } catch (const base::UsageError& error) {
    throw base::SpecError({file.string()}, "line", error.what());
  }
  return format;
}

}  // namespace dlscale::workspace
