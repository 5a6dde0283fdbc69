// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/comparison_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::size_t kTextWidth = 98;

double count_of_kind(const ReferenceTable& table, char kind) {
  return static_cast<double>(
      std::count_if(table.values.begin(), table.values.end(),
                    [&](const Published& value) { return value.kind == kind; }));
}

/// Returns the value or the claim as text: "> 0.65", "best 2", "rises".
std::string printed(const Published& value) {
  if (value.relation == "best") return "best " + value.to;
  if (value.text.empty()) return value.relation;
  return value.relation == "=" ? value.text : value.relation + " " + value.text;
}

std::string compared_name_of(const Published& value) {
  return value.statistic.empty() ? value.quantity : value.quantity + " (" + value.statistic + ")";
}

std::string compared_point_of(const Published& value) {
  std::string text = in_words(value.axes);
  if (!value.along.empty()) {
    text +=
        fmt::format("{}{} {} to {}", text.empty() ? "" : ", ", value.along, value.from, value.to);
  }
  return text;
}

std::vector<std::string> definition_notes(const ReferenceStudy& study) {
  const Publication& publication = study.publication;
  std::vector<std::string> notes{
      "source: " + study.source,
      "kinds: R printed, D recomputed from raw data, C computed from printed values"};
  if (publication.baseline_gpus > 0) {
    notes.push_back("baseline: " + base::count_of(publication.baseline_gpus, "GPU"));
  }
  if (study.repeats > 0) notes.push_back(fmt::format("repeats: {}", study.repeats));
  for (const auto& [quantity, definition] : publication.definitions) {
    std::string note = fmt::format("{} = {}", quantity, definition.formula);
    if (!definition.reading.empty()) {
      note += "; the published numbers follow the formula " + definition.reading;
    }
    notes.push_back(note);
  }
  for (const auto& [name, words] : publication.settings) {
    notes.push_back(fmt::format("{}: {}", name, fmt::join(words, ", ")));
  }
  return notes;
}

Cell bounds_of(const Interval& interval, double scale) {
  if (interval.kind == Interval::Kind::None) return {};
  return Bounds{interval.low * scale, interval.high * scale};
}

/// Returns the differences between the published value and the two ends of the interval of the
/// result. Returns an empty cell for a result without an interval.
Cell difference_bounds(const Match& match) {
  if (match.own.interval.kind == Interval::Kind::None) return {};
  return Bounds{difference(*match.published, match.own.interval.low),
                difference(*match.published, match.own.interval.high)};
}

Cell difference_of(const Match& match) {
  if (match.holds) return {};
  return difference(*match.published, match.own.value);
}

std::vector<Cell> row_of(const Match& match) {
  const Published& published = *match.published;
  const double scale = 1 / parse_unit(published.unit.empty() ? "1" : published.unit)->factor;
  return {compared_name_of(published),
          match.point,
          match.source,
          published.unit == "1" ? std::string() : published.unit,
          printed(published),
          std::string(1, published.kind),
          match.own.value * scale,
          bounds_of(match.own.interval, scale),
          static_cast<double>(match.own.n),
          difference_of(match),
          difference_bounds(match),
          verdict(match),
          where_of(published)};
}

bool has_predicted_shares(const Comparison& comparison) {
  return std::any_of(comparison.matches.begin(), comparison.matches.end(), [](const Match& match) {
    const std::string& quantity = match.published->quantity;
    return match.source.ends_with("prediction") && (quantity == "allreduce" || quantity == "cudnn");
  });
}

std::string indented(const std::string& text) {
  std::string lines, line = " ";
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (line.size() + word.size() >= kTextWidth) {
      lines += line + "\n";
      line = "   ";
    }
    line += " " + word;
  }
  return lines + line + "\n";
}

std::string title_of(const ReferenceStudy& study, std::size_t count) {
  return fmt::format("Contradictions of {}: {} found by {} rules", study.title, count,
                     contradiction_rules().size());
}

}  // namespace

Table publication_table(const ReferenceStudy& study) {
  Table table{
      "publication",
      study.title,
      definition_notes(study),
      {{"table", "table", ""}, {"values_r", "R", ""}, {"values_d", "D", ""}, {"values_c", "C", ""}},
      {}};
  for (const ReferenceTable& one : study.tables) {
    table.rows.push_back(
        {one.file, count_of_kind(one, 'R'), count_of_kind(one, 'D'), count_of_kind(one, 'C')});
    if (one.kind != 'R') table.notes.push_back(one.file + ": " + one.source);
    table.notes.insert(table.notes.end(), one.notes.begin(), one.notes.end());
  }
  return table;
}

std::string coverage_note(const Comparison& comparison) {
  const double share = comparison.values == 0 ? 0
                                              : 100.0 * static_cast<double>(comparison.matched()) /
                                                    static_cast<double>(comparison.values);
  std::string note = fmt::format("{} of {} published values have an own counterpart ({:.0f} %)",
                                 comparison.matched(), comparison.values, share);
  if (comparison.predicted > 0) {
    note += fmt::format("; only predicted: {}", comparison.predicted);
  }
  if (comparison.descriptions > 0) {
    note += fmt::format("; not counted: {}",
                        base::count_of(static_cast<std::int64_t>(comparison.descriptions),
                                       "entry that describes hardware or methods",
                                       "entries that describe hardware or methods"));
  }
  return note;
}

Table comparison_table(const ReferenceStudy& study, const Comparison& comparison) {
  Table table{"comparison",
              "The user's values compared with " + study.title,
              {"difference = own / published - 1; 0 if the user's value (own) is within a "
               "published bound or range",
               "own: the user's value, as the median of the n repeats with its 95 % interval (n < "
               "6: range); values by a formula of "
               "the publication are computed from means and have no interval",
               "source: where the user's value comes from; CPU: the user's ranks ran on CPUs, and "
               "the published value is for the same number of GPUs",
               "claims: own is the best count (best) or the last value / the first value (rises, "
               "falls) of n points",
               coverage_note(comparison)},
              {{"quantity", "quantity", ""},
               {"point", "own point", ""},
               {"source", "source", ""},
               {"unit", "unit", ""},
               {"published", "published", ""},
               {"kind", "kind", ""},
               {"own", "own", "", 3},
               {"own_interval", "interval", "", 3, 1, true},
               {"n", "n", ""},
               {"difference", "difference", "%", 1, 100},
               {"difference_interval", "interval", "%", 1, 100, true},
               {"verdict", "verdict", ""},
               {"where", "where", ""}},
              {}};
  if (has_predicted_shares(comparison)) {
    table.notes.push_back(
        "predicted shares of kernel time: kernels of loading are not predicted and count as 0");
  }
  if (!comparison.unsaid.empty()) {
    table.notes.push_back(
        fmt::format("ignored when matching, because the user's runs do not record them: {}",
                    fmt::join(comparison.unsaid, ", ")));
  }
  for (const Match& match : comparison.matches) table.rows.push_back(row_of(match));
  return table;
}

Table unmatched_table(const ReferenceStudy& study, const Comparison& comparison) {
  Table table{"unmatched",
              "Published values of " + study.title + " without a matching value of the user",
              {},
              {{"quantity", "quantity", ""},
               {"point", "point", ""},
               {"published", "published", ""},
               {"unit", "unit", ""},
               {"reason", "reason", ""},
               {"where", "where", ""}},
              {}};
  for (const auto& [value, reason] : comparison.unmatched) {
    table.rows.push_back({compared_name_of(*value), compared_point_of(*value), printed(*value),
                          value->unit, reason, where_of(*value)});
  }
  return table;
}

Table contradiction_table(const ReferenceStudy& study, const std::vector<Contradiction>& found) {
  Table table{"contradictions",
              title_of(study, found.size()),
              {},
              {{"rule", "rule", ""},
               {"where", "where", ""},
               {"values", "values", ""},
               {"meaning", "meaning", ""}},
              {}};
  for (const auto& [rule, finding] : found) {
    table.rows.push_back({std::string(rule->name), finding.where, finding.values, finding.meaning});
  }
  return table;
}

std::string contradiction_text(const ReferenceStudy& study,
                               const std::vector<Contradiction>& found) {
  std::string text = title_of(study, found.size()) + "\n";
  for (const auto& [rule, finding] : found) {
    text += fmt::format("\n{}\n", rule->name);
    text += indented(finding.where) + indented(finding.values) + indented(finding.meaning);
  }
  return text;
}

}  // namespace dlscale::analysis
