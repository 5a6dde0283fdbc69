// SPDX-License-Identifier: Apache-2.0
// Reads the qualitative findings of a publication, such as "two GPUs are faster than one at batch
// 64", from a file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace dlscale::analysis {

/// Metric of a finding that is 1 for a run that ended out of memory and 0 for a completed run.
inline constexpr const char* kOutOfMemory = "out-of-memory";

/// Finding of a publication as a condition on results. The runs that `left` selects are compared
/// with the runs that `right` selects, or with the number `value`. The statistic of the comparison
/// is the ratio of the metric, or its difference if `difference` is set.
struct PublishedFinding {
  /// `narrows` compares the statistics at two values of `along`. The statistic at the largest value
  /// is nearer to a ratio of 1 or a difference of 0 than the statistic at the smallest value.
  enum class Relation { more, less, similar, narrows };
  std::string name;
  std::string claim;   ///< statement of the publication in one sentence
  std::string source;  ///< place in the publication
  std::string metric;  ///< name of one of the quantities() of figures, or kOutOfMemory
  std::string left, right;
  /// Number to compare with instead of the runs that `right` selects.
  std::optional<double> value;
  Relation relation = Relation::more;
  /// Ratio with which the ratio left / right is compared.
  double factor = 1;
  /// Difference with which the difference left - right is compared, in the SI unit of the metric.
  /// Empty for a finding about a ratio.
  std::optional<double> difference;
  /// Largest relative distance between a statistic and `factor` or `difference` at which both are
  /// similar: 0.1 accepts ratios from 1 / 1.1 to 1.1.
  double within = 0.1;
  /// Axes that pair the two selections. The finding is tested for each combination of values of
  /// these axes that both selections contain, and must hold for all of them.
  std::vector<std::string> each;
  /// Axis with numbers, or empty. The finding is then a statement about the change of the statistic
  /// from the smallest to the largest value of this axis.
  std::string along;
  /// Rank whose value is compared instead of the value of the whole run.
  std::optional<int> left_rank, right_rank;
  int repetitions = 1;     ///< least number of runs on each side of a test
  base::Location left_at;  ///< positions of the conditions, for error messages
  base::Location right_at;
};

/// Reads the findings from the text of a TOML file with a table [[finding]] for each. Throws
/// base::SpecError with the position of an error. `file` is the name in messages.
std::vector<PublishedFinding> read_findings(const std::string& text, const std::string& file);

/// Returns the condition in one line: "throughput (gpus == 2) > 1.7 x (gpus == 1)".
std::string condition_text(const PublishedFinding& finding);

}  // namespace dlscale::analysis
