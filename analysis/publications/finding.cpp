// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/finding.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "analysis/metrics/statistics/effect.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/report/figures/quantities.hpp"
#include "base/registry.hpp"
#include "base/text.hpp"
#include "config/toml/fields.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::analysis {
namespace {

using config::Item;
using OptionalValue = std::optional<double>;

constexpr double kMostRepetitions = 1000;
constexpr const char* kRelations[] = {"more", "less", "similar"};

// Metrics of a run.

OptionalValue value_of_metric(const std::string& metric, const RunRow& run) {
  if (metric != kOutOfMemory) return value_of(*quantities_named(metric).front(), run);
  if (run.outcome == to_string(contract::RunOutcome::OutOfMemory)) return 1;
  return completed(run) ? OptionalValue(0) : std::nullopt;
}

/// Returns true if all repeats of a point have the same value of the metric.
bool is_exact(const std::string& metric) {
  return metric == kOutOfMemory || quantities_named(metric).front()->is_exact;
}

// Reading.

/// Returns the quantities that have a value in each run, and kOutOfMemory.
std::vector<std::string> metric_names() {
  std::vector<std::string> names{kOutOfMemory};
  for (const Quantity& quantity : quantities()) {
    if (quantity.relative == nullptr) names.emplace_back(quantity.name);
  }
  return names;
}

PublishedFinding::Relation relation_of(const Item& item) {
  const std::string& word = item.one_of("relation", {std::begin(kRelations), std::end(kRelations)});
  const auto* found = std::find(std::begin(kRelations), std::end(kRelations), word);
  return static_cast<PublishedFinding::Relation>(found - std::begin(kRelations));
}

const std::vector<config::Field<PublishedFinding>>& finding_fields() {
  static const std::vector<config::Field<PublishedFinding>> fields{
      {"name", [](PublishedFinding& f, const Item& item) { f.name = item.plain_name(); }},
      {"claim", [](PublishedFinding& f, const Item& item) { f.claim = item.word(); }},
      {"source", [](PublishedFinding& f, const Item& item) { f.source = item.word(); }},
      {"metric", [](PublishedFinding& f,
                    const Item& item) { f.metric = item.one_of("metric", metric_names()); }},
      {"left",
       [](PublishedFinding& f, const Item& item) {
         f.left = item.word();
         f.left_at = item.node.where;
       }},
      {"right",
       [](PublishedFinding& f, const Item& item) {
         f.right = item.word();
         f.right_at = item.node.where;
       }},
      {"value", [](PublishedFinding& f, const Item& item) { f.value = item.number(1e-300); }},
      {"relation", [](PublishedFinding& f, const Item& item) { f.relation = relation_of(item); }},
      {"factor", [](PublishedFinding& f, const Item& item) { f.factor = item.number(1e-6); }},
      {"within", [](PublishedFinding& f, const Item& item) { f.within = item.number(0); }},
      {"each", [](PublishedFinding& f, const Item& item) { f.each = item.texts(); }},
      {"repetitions",
       [](PublishedFinding& f, const Item& item) {
         f.repetitions = static_cast<int>(item.whole(1, kMostRepetitions));
       }},
  };
  return fields;
}

PublishedFinding finding_of(const Item& item) {
  PublishedFinding finding;
  config::read_fields(item, finding_fields(), finding);
  const std::pair<const char*, const std::string*> needed[] = {{"name", &finding.name},
                                                               {"claim", &finding.claim},
                                                               {"source", &finding.source},
                                                               {"metric", &finding.metric},
                                                               {"left", &finding.left}};
  for (const auto& [key, text] : needed) {
    if (text->empty()) item.fail(fmt::format("the key {} is missing", key));
  }
  if (finding.right.empty() != finding.value.has_value()) {
    item.fail("a finding needs either right or value");
  }
  return finding;
}

// Testing.

/// Returns the value of an axis of the run as text. Throws base::UsageError for an unknown axis.
std::string axis_value(const RunRow& run, const std::string& axis,
                       const PublishedFinding& finding) {
  const auto found = run.point.find(axis);
  if (found != run.point.end()) return found->second;
  if (axis == "gpus") return std::to_string(run.gpus);
  if (axis == "batch_per_gpu") return std::to_string(run.batch_per_gpu);
  if (axis == "global_batch") return std::to_string(run.global_batch);
  std::vector<std::string> known{"gpus", "batch_per_gpu", "global_batch"};
  for (const auto& [name, value] : run.point) known.push_back(name);
  throw base::UsageError(
      fmt::format("finding {}: each: {}", finding.name, base::unknown_name("axis", axis, known)));
}

using ValuesByPair = std::map<std::string, std::vector<double>>;

ValuesByPair values_by_pair(const PublishedFinding& finding, const Frame& frame,
                            const std::set<std::string>& ids) {
  ValuesByPair values;
  for (const RunRow& run : frame.runs) {
    if (!ids.contains(run.run_id)) continue;
    const OptionalValue value = value_of_metric(finding.metric, run);
    if (!value) continue;
    std::vector<std::string> parts;
    for (const std::string& axis : finding.each) {
      parts.push_back(axis + " " + axis_value(run, axis, finding));
    }
    values[fmt::format("{}", fmt::join(parts, ", "))].push_back(*value);
  }
  return values;
}

/// Returns the ratio of two samples. The interval of an exact metric contains all ratios, and the
/// interval of other metrics has a confidence of 95 %.
Estimate ratio_of(const std::vector<double>& left, const std::vector<double>& right,
                  bool is_exact) {
  if (!is_exact) return hodges_lehmann_ratio(left, right);
  const auto [left_low, left_high] = std::minmax_element(left.begin(), left.end());
  const auto [right_low, right_high] = std::minmax_element(right.begin(), right.end());
  return {
      .value = median(left) / median(right),
      .interval = {Interval::Kind::Confidence95, *left_low / *right_high, *left_high / *right_low},
      .n = std::min(left.size(), right.size())};
}

/// Returns the ratio of a sample and a number, with the interval of the sample's centre.
Estimate ratio_to(const std::vector<double>& values, double number, bool is_exact) {
  if (is_exact) return ratio_of(values, {number}, true);
  Estimate center = hodges_lehmann_center(values);
  center.value /= number;
  center.interval.low /= number;
  center.interval.high /= number;
  return center;
}

bool excludes_the_contrary(const PublishedFinding& finding, const Interval& interval) {
  switch (finding.relation) {
    case PublishedFinding::Relation::more:
      return interval.low > finding.factor;
    case PublishedFinding::Relation::less:
      return interval.high < finding.factor;
    case PublishedFinding::Relation::similar:
      return interval.low >= finding.factor / (1 + finding.within) &&
             interval.high <= finding.factor * (1 + finding.within);
  }
  return false;
}

bool all_positive(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
}

/// Returns the reason why the two samples cannot be compared, or an empty text.
std::string why_not_comparable(const PublishedFinding& finding, const std::vector<double>& left,
                               const std::vector<double>* right, bool is_exact) {
  const std::size_t fewest = right ? std::min(left.size(), right->size()) : left.size();
  if (fewest < static_cast<std::size_t>(finding.repetitions)) {
    return fmt::format("needs {} on each side, found {}",
                       base::count_of(finding.repetitions, "run"), fewest);
  }
  if (!is_exact && (!all_positive(left) || (right != nullptr && !all_positive(*right)))) {
    return fmt::format("{} is 0 in a run, so the ratio has no interval", finding.metric);
  }
  return "";
}

FindingResult not_testable(std::string reason) {
  return {FindingVerdict::not_testable, std::move(reason), {}, {}};
}

std::string statistic_text(const PublishedFinding& finding, const FindingTest& test) {
  const std::string runs = finding.value
                               ? fmt::format("n = {}", test.left_runs)
                               : fmt::format("n = {}, {}", test.left_runs, test.right_runs);
  return fmt::format("{}{:.3g} [{:.3g}, {:.3g}] ({})", test.where.empty() ? "" : test.where + ": ",
                     test.ratio.value, test.ratio.interval.low, test.ratio.interval.high, runs);
}

/// Returns the statistic of each test, the combinations that were not tested, or the reason why
/// nothing was tested.
std::vector<std::string> statistic_lines(const PublishedFinding& finding,
                                         const FindingResult& result) {
  std::vector<std::string> lines;
  for (const FindingTest& test : result.tests) lines.push_back(statistic_text(finding, test));
  for (const std::string& why : result.left_out) lines.push_back("not tested: " + why);
  if (lines.empty()) lines.push_back(result.reason);
  return lines;
}

std::string condition_text(const PublishedFinding& finding) {
  const std::string factor = finding.factor == 1 ? "" : fmt::format("{:g} x ", finding.factor);
  const std::string other =
      finding.value ? fmt::format("{:g}", *finding.value) : "(" + finding.right + ")";
  switch (finding.relation) {
    case PublishedFinding::Relation::more:
      return fmt::format("{} ({}) > {}{}", finding.metric, finding.left, factor, other);
    case PublishedFinding::Relation::less:
      return fmt::format("{} ({}) < {}{}", finding.metric, finding.left, factor, other);
    case PublishedFinding::Relation::similar:
      return fmt::format("{} ({}) = {}{} within {:g} %", finding.metric, finding.left, factor,
                         other, 100 * finding.within);
  }
  return "";
}

std::string verdict_text(FindingVerdict verdict) {
  switch (verdict) {
    case FindingVerdict::holds:
      return "holds";
    case FindingVerdict::does_not_hold:
      return "does not hold";
    case FindingVerdict::not_testable:
      return "not testable here";
  }
  return "";
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

FindingResult test_finding(const PublishedFinding& finding, const Frame& frame,
                           const std::set<std::string>& left, const std::set<std::string>& right) {
  const bool exact = is_exact(finding.metric);
  const ValuesByPair of_left = values_by_pair(finding, frame, left);
  const ValuesByPair of_right = values_by_pair(finding, frame, right);
  const auto none = [&](const std::string& condition) {
    return not_testable(fmt::format("no run with {} matches {}", finding.metric, condition));
  };
  if (of_left.empty()) return none(finding.left);
  if (of_right.empty() && !finding.value) return none(finding.right);
  FindingResult result{FindingVerdict::holds, "", {}, {}};
  const auto leave_out = [&](const std::string& where, const std::string& why) {
    result.left_out.push_back(where.empty() ? why : where + ": " + why);
  };
  for (const auto& [where, values] : of_left) {
    const auto found = of_right.find(where);
    if (found == of_right.end() && !finding.value) {
      leave_out(where, "no run matches " + finding.right);
      continue;
    }
    const std::vector<double>* others = finding.value ? nullptr : &found->second;
    if (std::string why = why_not_comparable(finding, values, others, exact); !why.empty()) {
      leave_out(where, why);
      continue;
    }
    FindingTest test{.where = where,
                     .ratio = others ? ratio_of(values, *others, exact)
                                     : ratio_to(values, *finding.value, exact),
                     .left_runs = values.size(),
                     .right_runs = others ? others->size() : 0};
    if (test.ratio.interval.kind != Interval::Kind::Confidence95) {
      leave_out(where, fmt::format("{} on the left and {} on the right are too few runs for a 95 % "
                                   "interval",
                                   values.size(), others ? others->size() : 0));
      continue;
    }
    test.holds = excludes_the_contrary(finding, test.ratio.interval);
    if (!test.holds) result.verdict = FindingVerdict::does_not_hold;
    result.tests.push_back(std::move(test));
  }
  if (!result.tests.empty()) return result;
  return not_testable(fmt::format("{}", fmt::join(result.left_out, "; ")));
}

std::string findings_text(const std::string& study, const std::vector<TestedFinding>& tested) {
  const auto count = [&](FindingVerdict verdict) {
    return std::count_if(tested.begin(), tested.end(),
                         [&](const TestedFinding& one) { return one.result.verdict == verdict; });
  };
  std::string text =
      fmt::format("Findings in {}: {} hold, {} do not hold, {} cannot be tested here\n", study,
                  count(FindingVerdict::holds), count(FindingVerdict::does_not_hold),
                  count(FindingVerdict::not_testable));
  for (const auto& [finding, result] : tested) {
    text += fmt::format("\n{}: {}\n  {}\n  source: {}\n  {}\n", finding.name,
                        verdict_text(result.verdict), finding.claim, finding.source,
                        condition_text(finding));
    for (const std::string& line : statistic_lines(finding, result)) text += "  " + line + "\n";
  }
  return text;
}

Table findings_table(const std::string& study, const std::vector<TestedFinding>& tested) {
  Table table{.id = "findings",
              .title = "Findings of the publication in the runs of " + study,
              .notes = {"ratio: left / right, or left / value, estimate of Hodges and Lehmann with "
                        "its 95 % interval; n: runs on the left and on the right",
                        "a finding holds if the interval of every ratio excludes the contrary"},
              .columns = {{"finding", "finding"},
                          {"verdict", "verdict"},
                          {"claim", "claim"},
                          {"condition", "condition"},
                          {"statistic", "ratio, or reason"},
                          {"source", "source"}},
              .rows = {}};
  for (const auto& [finding, result] : tested) {
    table.rows.push_back(
        {finding.name, verdict_text(result.verdict), finding.claim, condition_text(finding),
         fmt::format("{}", fmt::join(statistic_lines(finding, result), "; ")), finding.source});
  }
  return table;
}

}  // namespace dlscale::analysis
