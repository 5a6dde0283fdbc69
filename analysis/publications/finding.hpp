// SPDX-License-Identifier: Apache-2.0
// Tests the qualitative findings of a publication, such as "two GPUs are faster than one at batch
// 64", on the user's results.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/metrics/statistics/interval.hpp"
#include "analysis/report/report.hpp"
#include "base/error.hpp"

namespace dlscale::analysis {

/// Metric of a finding that is 1 for a run that ended out of memory and 0 for a completed run.
inline constexpr const char* kOutOfMemory = "out-of-memory";

/// Finding of a publication as a condition on results: the metric of the runs that `left`
/// selects is more than, less than or similar to `factor` times the metric of the runs that `right`
/// selects, or the number `value`.
struct PublishedFinding {
  enum class Relation { more, less, similar };
  std::string name;
  std::string claim;   ///< statement of the publication in one sentence
  std::string source;  ///< place in the publication
  std::string metric;  ///< name of one of the quantities() of figures, or kOutOfMemory
  std::string left, right;
  /// Number to compare with instead of the runs that `right` selects.
  std::optional<double> value;
  Relation relation = Relation::more;
  double factor = 1;
  /// Largest relative difference of similar metrics: 0.1 accepts ratios from 1 / 1.1 to 1.1.
  double within = 0.1;
  /// Axes that pair the two selections. The finding is tested for each combination of values of
  /// these axes that both selections contain, and must hold for all of them.
  std::vector<std::string> each;
  int repetitions = 1;     ///< least number of runs on each side of a test
  base::Location left_at;  ///< positions of the conditions, for error messages
  base::Location right_at;
};

/// Reads the findings from the text of a TOML file with a table [[finding]] for each. Throws
/// base::SpecError with the position of an error. `file` is the name in messages.
std::vector<PublishedFinding> read_findings(const std::string& text, const std::string& file);

enum class FindingVerdict { holds, does_not_hold, not_testable };

/// Ratio of the metric between the selections of a finding, for one combination of values of the
/// axes `each`.
struct FindingTest {
  std::string where;  ///< values of the axes `each`, empty without such axes
  Estimate ratio;     ///< left / right, or left / value
  std::size_t left_runs = 0, right_runs = 0;
  bool holds = false;
};

struct FindingResult {
  FindingVerdict verdict = FindingVerdict::not_testable;
  std::string reason;  ///< reason why the finding cannot be tested, empty otherwise
  std::vector<FindingTest> tests;
  std::vector<std::string> left_out;  ///< combinations that could not be tested, with the reason
};

/// Tests a finding on the runs whose ids are in `left` and `right`. The ratio is the estimate of
/// Hodges and Lehmann with its 95 % interval (hodges_lehmann_ratio). The finding holds if the
/// interval of every test excludes the contrary. It is not testable if a selection has no run with
/// the metric, or too few runs for an interval. Throws base::UsageError for an unknown axis in
/// `each`.
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
