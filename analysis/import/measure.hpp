// SPDX-License-Identifier: Apache-2.0
// What a column of a table, or a group of a regular expression, can say of a run.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::analysis {

/// The first eight in the order of contract::StepPart.
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
  accuracy,
  top5_accuracy,
  test_loss,
};
inline constexpr int kMeasures = 23;

struct MeasureEntry {
  const char* name;
  const char* summary;  ///< what the number has to be
};
/// In the order of Measure.
const std::array<MeasureEntry, kMeasures>& measures();
std::optional<Measure> find_measure(std::string_view name);

/// The numbers of a row; NaN: it says nothing. Losses that are told and not finite are infinite.
class MeasuredRow {
 public:
  MeasuredRow() { values_.fill(std::nan("")); }
  double& operator[](Measure measure) { return values_[static_cast<std::size_t>(measure)]; }
  double operator[](Measure measure) const { return values_[static_cast<std::size_t>(measure)]; }
  bool has(Measure measure) const { return !std::isnan((*this)[measure]); }

 private:
  std::array<double, kMeasures> values_;
};

/// `field=column*factor`: what a column means.
struct MappedColumn {
  std::string field;   ///< a measure, "repetition", or an axis of the runs
  std::string column;  ///< of a CSV file its heading, of JSON its key ("a/b" within another)
  double factor = 1;   ///< of a measure: what its numbers are multiplied with
  bool operator==(const MappedColumn&) const = default;
};

/// Throws base::UsageError for a text of another form, and for a field that is nearly a measure.
MappedColumn parse_mapping(const std::string& text);

/// Throws base::UsageError when `name` cannot be an axis: no name, or nearly that of a measure.
void check_axis_name(const std::string& option, const std::string& name);

}  // namespace dlscale::analysis
