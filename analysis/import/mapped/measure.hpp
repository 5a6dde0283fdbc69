// SPDX-License-Identifier: Apache-2.0
// Quantities that a table column or a group of a regular expression can measure.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::analysis {

/// Quantities that a row can measure. The first eight have the order of contract::StepPart.
enum class Measure {
  load_wait_s,
  h2d_s,
  forward_s,
  backward_s,
  exposed_comm_s,
  optimizer_s,
  bubble_s,
  other_s,
  compute_s,
  wall_s,
  elapsed_s,
  samples,
  rank_samples,
  samples_per_s,
  steps,
  step,
  epoch,
  rank,
  warmup,
  lr,
  loss,
  train_accuracy,
  accuracy,
  top5_accuracy,
  test_loss,
};
inline constexpr int kMeasures = 25;

struct MeasureEntry {
  const char* name;
  const char* summary;  ///< description of the expected number
};
/// Returns the names and descriptions of all measures, in the order of Measure.
const std::array<MeasureEntry, kMeasures>& measures();
std::optional<Measure> find_measure(std::string_view name);
/// Returns whether `name` is a setting of runs that logs may state, such as model or gpus.
bool is_run_field(std::string_view name);
/// Returns the name of the measure that other programs call `name`: "samples_per_s" for
/// "throughput" and "images_per_sec". Returns an empty text for other names.
std::string measure_called(std::string_view name);

/// Numbers of a row. NaN marks a missing number. Infinity marks a loss that is not finite in the
/// log.
class MeasuredRow {
 public:
  MeasuredRow() { values_.fill(std::nan("")); }
  double& operator[](Measure measure) { return values_[static_cast<std::size_t>(measure)]; }
  double operator[](Measure measure) const { return values_[static_cast<std::size_t>(measure)]; }
  bool has(Measure measure) const { return !std::isnan((*this)[measure]); }

  /// Smallest difference between two values of elapsed_s that the printed digits can show, in
  /// seconds. NaN if the row has no elapsed_s.
  double clock_resolution_s = std::nan("");

 private:
  std::array<double, kMeasures> values_;
};

/// Mapping of a column to a field, which the user writes as FIELD=COLUMN*FACTOR.
struct MappedColumn {
  std::string field;   ///< measure, "repetition", or axis of the runs
  std::string column;  ///< heading of a CSV column, or key of a JSON value ("a/b" for a nested one)
  double factor = 1;   ///< factor that multiplies the numbers of a measure
  bool operator==(const MappedColumn&) const = default;
};

/// Parses a mapping. Throws base::UsageError if the text does not have this form or if the field is
/// a misspelt measure.
MappedColumn parse_mapping(const std::string& text);

/// Throws base::UsageError if `name` cannot be the name of an axis: it has invalid characters, is
/// the name of a measure, or resembles the name of a measure and may be misspelt. The message
/// contains `option`, the option of the command line.
void check_axis_name(const std::string& option, const std::string& name);

}  // namespace dlscale::analysis
