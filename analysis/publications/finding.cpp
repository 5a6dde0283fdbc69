// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/finding.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/report/figures/quantities.hpp"
#include "config/toml/fields.hpp"

namespace dlscale::analysis {
namespace {

using config::Item;

constexpr double kMostRepetitions = 1000;
constexpr double kMostRank = 1e6;
constexpr double kLargestDifference = 1e300;
constexpr const char* kRelations[] = {"more", "less", "similar", "narrows"};

/// Returns the quantities that have a value in each run, and kOutOfMemory.
std::vector<std::string> metric_names() {
  std::vector<std::string> names{kOutOfMemory};
  for (const Quantity& quantity : quantities()) {
    if (quantity.relative == nullptr) names.emplace_back(quantity.name);
  }
  return names;
}

/// Returns the quantities that are recorded for each rank.
std::vector<std::string> metrics_of_ranks() {
  std::vector<std::string> names;
  for (const Quantity& quantity : quantities()) {
    if (quantity.of_rank != nullptr) names.emplace_back(quantity.name);
  }
  return names;
}

PublishedFinding::Relation relation_of(const Item& item) {
  const std::string& word = item.one_of("relation", {std::begin(kRelations), std::end(kRelations)});
  const auto* found = std::find(std::begin(kRelations), std::end(kRelations), word);
  return static_cast<PublishedFinding::Relation>(found - std::begin(kRelations));
}

/// Finding that is being read, and whether its table contains the key `factor`.
struct FindingTable {
  PublishedFinding finding;
  bool has_factor = false;
};

const std::vector<config::Field<FindingTable>>& finding_fields() {
  static const std::vector<config::Field<FindingTable>> fields{
      {"name", [](FindingTable& t, const Item& item) { t.finding.name = item.plain_name(); }},
      {"claim", [](FindingTable& t, const Item& item) { t.finding.claim = item.word(); }},
      {"source", [](FindingTable& t, const Item& item) { t.finding.source = item.word(); }},
      {"metric",
       [](FindingTable& t, const Item& item) {
         t.finding.metric = item.one_of("metric", metric_names());
       }},
      {"left",
       [](FindingTable& t, const Item& item) {
         t.finding.left = item.word();
         t.finding.left_at = item.node.where;
       }},
      {"right",
       [](FindingTable& t, const Item& item) {
         t.finding.right = item.word();
         t.finding.right_at = item.node.where;
       }},
      {"value", [](FindingTable& t, const Item& item) { t.finding.value = item.number(1e-300); }},
      {"relation",
       [](FindingTable& t, const Item& item) { t.finding.relation = relation_of(item); }},
      {"factor",
       [](FindingTable& t, const Item& item) {
         t.finding.factor = item.number(1e-6);
         t.has_factor = true;
       }},
      {"difference",
       [](FindingTable& t, const Item& item) {
         t.finding.difference = item.number(-kLargestDifference, kLargestDifference);
       }},
      {"within", [](FindingTable& t, const Item& item) { t.finding.within = item.number(0); }},
      {"each", [](FindingTable& t, const Item& item) { t.finding.each = item.texts(); }},
      {"along", [](FindingTable& t, const Item& item) { t.finding.along = item.word(); }},
      {"left_rank",
       [](FindingTable& t, const Item& item) {
         t.finding.left_rank = static_cast<int>(item.whole(0, kMostRank));
       }},
      {"right_rank",
       [](FindingTable& t, const Item& item) {
         t.finding.right_rank = static_cast<int>(item.whole(0, kMostRank));
       }},
      {"repetitions",
       [](FindingTable& t, const Item& item) {
         t.finding.repetitions = static_cast<int>(item.whole(1, kMostRepetitions));
       }},
  };
  return fields;
}

void check_ranks(const Item& item, const PublishedFinding& finding) {
  if (!finding.left_rank && !finding.right_rank) return;
  const std::vector<std::string> known = metrics_of_ranks();
  if (std::find(known.begin(), known.end(), finding.metric) != known.end()) return;
  item.fail(
      fmt::format("metric = \"{}\" is not recorded for each rank; the keys \"left_rank\" and "
                  "\"right_rank\" need one of the metrics {}",
                  finding.metric, fmt::join(known, ", ")));
}

/// Throws base::SpecError for keys that do not fit together.
void check_keys(const Item& item, const FindingTable& table) {
  using Relation = PublishedFinding::Relation;
  const PublishedFinding& finding = table.finding;
  const std::pair<const char*, const std::string*> needed[] = {{"name", &finding.name},
                                                               {"claim", &finding.claim},
                                                               {"source", &finding.source},
                                                               {"metric", &finding.metric},
                                                               {"left", &finding.left}};
  for (const auto& [key, text] : needed) {
    if (text->empty()) item.fail(fmt::format("the key {} is missing", key));
  }
  if (finding.right.empty() != finding.value.has_value()) {
    item.fail("a finding needs either the key \"right\" or the key \"value\"");
  }
  const bool narrows = finding.relation == Relation::narrows;
  if (finding.value && (finding.difference || !finding.along.empty() || finding.right_rank)) {
    item.fail(
        "the keys \"difference\", \"along\" and \"right_rank\" compare two selections; give the "
        "key \"right\" instead of \"value\"");
  }
  if (finding.difference && table.has_factor) {
    item.fail(
        "the key \"factor\" is for ratios and the key \"difference\" is for differences; give one "
        "of them");
  }
  if (finding.difference == 0.0 && finding.relation == Relation::similar) {
    item.fail(
        "relation = \"similar\" needs a difference other than 0, because the tolerance \"within\" "
        "is relative");
  }
  if (narrows && finding.along.empty()) {
    item.fail(
        "relation = \"narrows\" needs the key \"along\", which names the axis along which the gap "
        "narrows");
  }
  if (narrows && (table.has_factor || finding.difference.value_or(0) != 0)) {
    item.fail(
        "relation = \"narrows\" does not accept the key \"factor\", and \"difference\" must be 0");
  }
  if (std::find(finding.each.begin(), finding.each.end(), finding.along) != finding.each.end()) {
    item.fail(
        fmt::format("the axis {} is in both \"each\" and \"along\"; name it in only one of them",
                    finding.along));
  }
  check_ranks(item, finding);
}

PublishedFinding finding_of(const Item& item) {
  FindingTable table;
  config::read_fields(item, finding_fields(), table);
  check_keys(item, table);
  return std::move(table.finding);
}

/// Returns the compared metric of a selection: "train-loss of rank 1 (gpus == 2)".
std::string side_text(const PublishedFinding& finding, const std::string& selection,
                      const std::optional<int>& rank) {
  return fmt::format("{}{} ({})", finding.metric, rank ? fmt::format(" of rank {}", *rank) : "",
                     selection);
}

/// Returns the sign of the relation: ">", "<" or "=".
std::string relation_text(const PublishedFinding& finding) {
  using Relation = PublishedFinding::Relation;
  switch (finding.relation) {
    case Relation::more:
      return ">";
    case Relation::less:
      return "<";
    case Relation::similar:
      return "=";
    case Relation::narrows:
      break;  // This relation has no sign. change_text() writes it in words.
  }
  return "";
}

std::string within_text(const PublishedFinding& finding) {
  return finding.relation == PublishedFinding::Relation::similar
             ? fmt::format(" within {:g} %", 100 * finding.within)
             : "";
}

/// Returns the statement about the change of a statistic along an axis.
std::string change_text(const PublishedFinding& finding) {
  const std::string statistic = fmt::format(
      "{} {} {}", side_text(finding, finding.left, finding.left_rank),
      finding.difference ? "-" : "/", side_text(finding, finding.right, finding.right_rank));
  if (finding.relation == PublishedFinding::Relation::narrows) {
    return fmt::format("gap of {} narrows along {}", statistic, finding.along);
  }
  return fmt::format("change of {} along {} {} {:g}{}", statistic, finding.along,
                     relation_text(finding), finding.difference.value_or(finding.factor),
                     within_text(finding));
}

}  // namespace

std::vector<PublishedFinding> read_findings(const std::string& text, const std::string& file) {
  struct Document {
    std::vector<PublishedFinding> findings;
  };
  const config::Node root = config::parse_document(text, file);
  const std::vector<config::Field<Document>> fields{
      {"finding", [](Document& document, const Item& item) {
         for (const Item& one : item.items()) {
           PublishedFinding finding = finding_of(one);
           const bool known = std::any_of(
               document.findings.begin(), document.findings.end(),
               [&](const PublishedFinding& other) { return other.name == finding.name; });
           if (known) one.fail(fmt::format("the name {} is used twice", finding.name));
           document.findings.push_back(std::move(finding));
         }
       }}};
  Document document;
  config::read_fields(Item{root, ""}, fields, document);
  if (document.findings.empty()) Item{root, "finding"}.fail("the file has no [[finding]]");
  return document.findings;
}

std::string condition_text(const PublishedFinding& finding) {
  if (!finding.along.empty()) return change_text(finding);
  const std::string left = side_text(finding, finding.left, finding.left_rank);
  if (finding.difference) {
    return fmt::format("{} - {} {} {:g}{}", left,
                       side_text(finding, finding.right, finding.right_rank),
                       relation_text(finding), *finding.difference, within_text(finding));
  }
  const std::string factor = finding.factor == 1 ? "" : fmt::format("{:g} x ", finding.factor);
  const std::string other = finding.value ? fmt::format("{:g}", *finding.value)
                            : finding.right_rank
                                ? fmt::format("rank {} ({})", *finding.right_rank, finding.right)
                                : "(" + finding.right + ")";
  return fmt::format("{} {} {}{}{}", left, relation_text(finding), factor, other,
                     within_text(finding));
}

}  // namespace dlscale::analysis
