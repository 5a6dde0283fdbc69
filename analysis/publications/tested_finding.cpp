// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/tested_finding.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <variant>

#include "analysis/metrics/statistics/effect.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/report/figures/quantities.hpp"
#include "base/registry.hpp"
#include "base/text.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::analysis {
namespace {

using OptionalValue = std::optional<double>;
using Relation = PublishedFinding::Relation;

// Values of the metric in the two selections.

/// Returns the value of the metric in a run, or in one of its ranks if `rank` is set.
OptionalValue value_of_metric(const std::string& metric, const RunRow& run,
                              const std::optional<int>& rank) {
  if (metric == kOutOfMemory) {
    if (run.outcome == to_string(contract::RunOutcome::OutOfMemory)) return 1;
    return completed(run) ? OptionalValue(0) : std::nullopt;
  }
  const Quantity& quantity = *quantities_named(metric).front();
  return rank ? quantity.of_rank(run, static_cast<std::size_t>(*rank)) : value_of(quantity, run);
}

/// Returns true if all repeats of a point have the same value of the metric.
bool is_exact(const std::string& metric) {
  return metric == kOutOfMemory || quantities_named(metric).front()->is_exact;
}

/// Returns the value of an axis of the run as text. `key` is the key of the finding that names the
/// axis. Throws base::UsageError for an unknown axis.
std::string axis_value(const RunRow& run, const std::string& axis, const PublishedFinding& finding,
                       const char* key) {
  const auto found = run.point.find(axis);
  if (found != run.point.end()) return found->second;
  if (axis == "gpus") return std::to_string(run.gpus);
  if (axis == "batch_per_gpu") return std::to_string(run.batch_per_gpu);
  if (axis == "global_batch") return std::to_string(run.global_batch);
  std::vector<std::string> known{"gpus", "batch_per_gpu", "global_batch"};
  for (const auto& [name, value] : run.point) known.push_back(name);
  throw base::UsageError(fmt::format("finding {}: {}: {}", finding.name, key,
                                     base::unknown_name("axis", axis, known)));
}

/// Returns the value of the axis `along` as a number, or 0 for a finding without this axis. Throws
/// base::UsageError if the value is not a number.
double position_along(const RunRow& run, const PublishedFinding& finding) {
  if (finding.along.empty()) return 0;
  const std::string text = axis_value(run, finding.along, finding, "along");
  const OptionalValue number = base::number_of<double>(text);
  if (number) return *number;
  throw base::UsageError(
      fmt::format("finding {}: along: the values of the axis {} must be numbers, but one is \"{}\"",
                  finding.name, finding.along, text));
}

/// Values of the metric by the value of the axis `along`.
using ValuesAlong = std::map<double, std::vector<double>>;
/// Values of the metric by the values of the axes in `each`.
using ValuesByPair = std::map<std::string, ValuesAlong>;

ValuesByPair values_by_pair(const PublishedFinding& finding, const Frame& frame,
                            const std::set<std::string>& ids, const std::optional<int>& rank) {
  ValuesByPair values;
  for (const RunRow& run : frame.runs) {
    if (!ids.contains(run.run_id)) continue;
    const OptionalValue value = value_of_metric(finding.metric, run, rank);
    if (!value) continue;
    std::vector<std::string> parts;
    for (const std::string& axis : finding.each) {
      parts.push_back(axis + " " + axis_value(run, axis, finding, "each"));
    }
    values[fmt::format("{}", fmt::join(parts, ", "))][position_along(run, finding)].push_back(
        *value);
  }
  return values;
}

// Statistics with intervals.

/// Returns the statistic of two samples of an exact metric. The interval contains the statistics of
/// all pairs of values, and counts as a 95 % interval.
Estimate exact_statistic(const std::vector<double>& left, const std::vector<double>& right,
                         bool is_difference) {
  const auto [left_low, left_high] = std::minmax_element(left.begin(), left.end());
  const auto [right_low, right_high] = std::minmax_element(right.begin(), right.end());
  const auto of_pair = [&](double a, double b) {
    if (is_difference) return a - b;
    return a == b ? 1 : a / b;  // the ratio of two equal values is 1, also if both are 0
  };
  return {.value = of_pair(median(left), median(right)),
          .interval = {Interval::Kind::Confidence95, of_pair(*left_low, *right_high),
                       of_pair(*left_high, *right_low)},
          .n = std::min(left.size(), right.size())};
}

Estimate statistic_of(const PublishedFinding& finding, const std::vector<double>& left,
                      const std::vector<double>& right) {
  const bool is_difference = finding.difference.has_value();
  if (is_exact(finding.metric)) return exact_statistic(left, right, is_difference);
  return is_difference ? hodges_lehmann_difference(left, right) : hodges_lehmann_ratio(left, right);
}

/// Returns the ratio of a sample and a number, with the interval of the sample's centre.
Estimate ratio_to(const std::vector<double>& values, double number, bool is_exact) {
  if (is_exact) return exact_statistic(values, {number}, false);
  Estimate center = hodges_lehmann_center(values);
  center.value /= number;
  center.interval.low /= number;
  center.interval.high /= number;
  return center;
}

bool all_positive(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
}

/// Returns the reason why the two samples cannot be compared, or an empty text.
std::string why_not_comparable(const PublishedFinding& finding, const std::vector<double>& left,
                               const std::vector<double>* right) {
  const std::size_t fewest = right ? std::min(left.size(), right->size()) : left.size();
  if (fewest < static_cast<std::size_t>(finding.repetitions)) {
    return fmt::format("needs {} on each side, found {}",
                       base::count_of(finding.repetitions, "run"), fewest);
  }
  const bool needs_positive = !is_exact(finding.metric) && !finding.difference;
  if (needs_positive && (!all_positive(left) || (right != nullptr && !all_positive(*right)))) {
    return fmt::format("{} is 0 in a run, so the ratio has no interval", finding.metric);
  }
  return "";
}

/// Returns the statistic of two samples, or the reason why there is none. `right` is null for a
/// finding with a `value`.
std::variant<FindingStatistic, std::string> compare(const PublishedFinding& finding,
                                                    const std::vector<double>& left,
                                                    const std::vector<double>* right) {
  if (std::string why = why_not_comparable(finding, left, right); !why.empty()) return why;
  FindingStatistic statistic{
      .where = "",
      .estimate = right ? statistic_of(finding, left, *right)
                        : ratio_to(left, *finding.value, is_exact(finding.metric)),
      .left_runs = left.size(),
      .right_runs = right ? right->size() : 0};
  if (statistic.estimate.interval.kind == Interval::Kind::Confidence95) return statistic;
  if (right == nullptr) {
    return fmt::format("{} are too few for a 95 % interval",
                       base::count_of(statistic.left_runs, "run"));
  }
  return fmt::format("{} on the left and {} on the right are too few runs for a 95 % interval",
                     statistic.left_runs, statistic.right_runs);
}

// Verdicts.

bool excludes_the_contrary(const PublishedFinding& finding, const Interval& interval) {
  const double published = finding.difference.value_or(finding.factor);
  const auto [least, most] =
      std::minmax({published / (1 + finding.within), published * (1 + finding.within)});
  switch (finding.relation) {
    case Relation::more:
      return interval.low > published;
    case Relation::less:
      return interval.high < published;
    case Relation::similar:
      return interval.low >= least && interval.high <= most;
    case Relation::narrows:
      break;
  }
  return false;
}

/// Returns the interval of the changes from any value in `first` to any value in `last`.
Interval change_between(const Interval& first, const Interval& last, bool is_difference) {
  if (is_difference) return {last.kind, last.low - first.high, last.high - first.low};
  return {last.kind, last.low / first.high, last.high / first.low};
}

/// Returns the interval of the distances between the values of `interval` and a difference of 0, or
/// a ratio of 1 on a logarithmic scale.
Interval gap_of(Interval interval, bool is_difference) {
  if (!is_difference) {
    interval.low = std::log(interval.low);
    interval.high = std::log(interval.high);
  }
  if (interval.low > 0) return interval;
  if (interval.high < 0) return {interval.kind, -interval.high, -interval.low};
  return {interval.kind, 0, std::max(-interval.low, interval.high)};
}

bool holds_in(const PublishedFinding& finding, const std::vector<FindingStatistic>& statistics) {
  const Interval& first = statistics.front().estimate.interval;
  const Interval& last = statistics.back().estimate.interval;
  if (finding.along.empty()) return excludes_the_contrary(finding, first);
  const bool is_difference = finding.difference.has_value();
  if (finding.relation == Relation::narrows) {
    return gap_of(last, is_difference).high < gap_of(first, is_difference).low;
  }
  return excludes_the_contrary(finding, change_between(first, last, is_difference));
}

/// Returns the values of the axis `along` at which the finding is tested: the smallest and the
/// largest value with runs on both sides. Returns the value 0 for a finding without this axis.
std::vector<double> tested_positions(const ValuesAlong& left, const ValuesAlong* right) {
  std::vector<double> positions;
  for (const auto& [position, values] : left) {
    if (right == nullptr || right->contains(position)) positions.push_back(position);
  }
  if (positions.size() > 2) positions.erase(positions.begin() + 1, positions.end() - 1);
  return positions;
}

/// Returns the test for one combination of values of `each`, or the reason why there is none.
/// `right` is null for a finding with a `value`.
std::variant<FindingTest, std::string> test_pair(const PublishedFinding& finding,
                                                 const std::string& where, const ValuesAlong& left,
                                                 const ValuesAlong* right) {
  const std::vector<double> positions = tested_positions(left, right);
  if (!finding.along.empty() && positions.size() < 2) {
    return fmt::format("needs two values of {} with runs on both sides, found {}", finding.along,
                       positions.size());
  }
  FindingTest test;
  for (const double position : positions) {
    auto compared = compare(finding, left.at(position), right ? &right->at(position) : nullptr);
    const std::string at =
        finding.along.empty() ? "" : fmt::format("{} {:g}", finding.along, position);
    if (const auto* why = std::get_if<std::string>(&compared)) {
      return at.empty() ? *why : at + ": " + *why;
    }
    FindingStatistic& statistic = std::get<FindingStatistic>(compared);
    statistic.where = where + (where.empty() || at.empty() ? "" : ", ") + at;
    test.statistics.push_back(std::move(statistic));
  }
  test.holds = holds_in(finding, test.statistics);
  return test;
}

FindingResult not_testable(std::string reason) {
  return {FindingVerdict::not_testable, std::move(reason), {}, {}};
}

/// Returns a result without tests, because no selected run has the metric.
FindingResult no_run(const PublishedFinding& finding, const std::string& condition,
                     const std::optional<int>& rank) {
  return not_testable(fmt::format("no run with {}{} matches {}", finding.metric,
                                  rank ? fmt::format(" of rank {}", *rank) : "", condition));
}

// Texts.

std::string statistic_text(const PublishedFinding& finding, const FindingStatistic& statistic) {
  const std::string runs =
      finding.value ? fmt::format("n = {}", statistic.left_runs)
                    : fmt::format("n = {}, {}", statistic.left_runs, statistic.right_runs);
  const Estimate& estimate = statistic.estimate;
  return fmt::format("{}{:.3g} [{:.3g}, {:.3g}] ({})",
                     statistic.where.empty() ? "" : statistic.where + ": ", estimate.value,
                     estimate.interval.low, estimate.interval.high, runs);
}

std::string test_text(const PublishedFinding& finding, const FindingTest& test) {
  const std::string first = statistic_text(finding, test.statistics.front());
  if (finding.along.empty()) return first;
  return fmt::format("from {} to {}", first, statistic_text(finding, test.statistics.back()));
}

/// Returns the statistic of each test, the combinations that were not tested, or the reason why
/// nothing was tested.
std::vector<std::string> statistic_lines(const PublishedFinding& finding,
                                         const FindingResult& result) {
  std::vector<std::string> lines;
  for (const FindingTest& test : result.tests) lines.push_back(test_text(finding, test));
  for (const std::string& why : result.left_out) lines.push_back("not tested: " + why);
  if (lines.empty()) lines.push_back(result.reason);
  return lines;
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

FindingResult test_finding(const PublishedFinding& finding, const Frame& frame,
                           const std::set<std::string>& left, const std::set<std::string>& right) {
  const ValuesByPair of_left = values_by_pair(finding, frame, left, finding.left_rank);
  const ValuesByPair of_right = values_by_pair(finding, frame, right, finding.right_rank);
  if (of_left.empty()) return no_run(finding, finding.left, finding.left_rank);
  if (of_right.empty() && !finding.value) return no_run(finding, finding.right, finding.right_rank);
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
    auto tested = test_pair(finding, where, values, finding.value ? nullptr : &found->second);
    if (const auto* why = std::get_if<std::string>(&tested)) {
      leave_out(where, *why);
      continue;
    }
    FindingTest& test = std::get<FindingTest>(tested);
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
  const auto hold = count(FindingVerdict::holds), fail = count(FindingVerdict::does_not_hold);
  std::string text =
      fmt::format("Findings in {}: {} {}, {} {} not hold, {} cannot be tested here\n", study, hold,
                  hold == 1 ? "holds" : "hold", fail, fail == 1 ? "does" : "do",
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
              .notes = {"statistic: left / right, left / value, or left - right in the SI unit of "
                        "the metric, as the estimate of Hodges and Lehmann with its 95 % "
                        "interval; n: number of runs on the left and on the right",
                        "a finding holds if its condition is true for all values in the intervals"},
              .columns = {{"finding", "finding"},
                          {"verdict", "verdict"},
                          {"claim", "claim"},
                          {"condition", "condition"},
                          {"statistic", "statistic, or reason"},
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
