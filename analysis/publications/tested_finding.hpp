// SPDX-License-Identifier: Apache-2.0
// Tests the findings of a publication on the user's results, and writes the verdicts.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/metrics/statistics/interval.hpp"
#include "analysis/publications/finding.hpp"
#include "analysis/report/report.hpp"

namespace dlscale::analysis {

enum class FindingVerdict { holds, does_not_hold, not_testable };

/// Statistic of a finding between its two selections.
struct FindingStatistic {
  std::string where;  ///< values of the axes `each` and `along`, empty without such axes
  Estimate estimate;  ///< left / right, left / value, or left - right
  std::size_t left_runs = 0, right_runs = 0;
};

/// Test of a finding for one combination of values of the axes `each`.
struct FindingTest {
  /// One statistic, or two statistics: at the smallest and at the largest value of `along`.
  std::vector<FindingStatistic> statistics;
  bool holds = false;
};

struct FindingResult {
  FindingVerdict verdict = FindingVerdict::not_testable;
  std::string reason;  ///< reason why the finding cannot be tested, empty otherwise
  std::vector<FindingTest> tests;
  std::vector<std::string> left_out;  ///< combinations that could not be tested, with the reason
};

/// Tests a finding on the runs whose ids are in `left` and `right`. The ratio and the difference
/// are the estimates of Hodges and Lehmann with their 95 % intervals. The finding holds if its
/// condition is true for all values in the interval of every test. For a change along an axis, this
/// interval contains all changes from a value in the interval at the smallest value of the axis to
/// a value in the interval at the largest value of the axis. The finding is not testable if a
/// selection has no run with the metric, or too few runs for an interval. Throws base::UsageError
/// for an unknown axis in `each` or `along`, and for an axis `along` whose values are not numbers.
FindingResult test_finding(const PublishedFinding& finding, const Frame& frame,
                           const std::set<std::string>& left, const std::set<std::string>& right);

struct TestedFinding {
  PublishedFinding finding;
  FindingResult result;
};

/// Returns the findings as paragraphs of text for a terminal, after a line with the number of each
/// verdict.
std::string findings_text(const std::string& study, const std::vector<TestedFinding>& tested);

/// Returns one row for each finding: claim, verdict, statistic and source.
Table findings_table(const std::string& study, const std::vector<TestedFinding>& tested);

}  // namespace dlscale::analysis
