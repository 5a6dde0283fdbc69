// SPDX-License-Identifier: Apache-2.0
// Lists the quantities of runs that `dlscale plot METRIC` draws over any axis of a study, and that
// the findings of publications compare.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/metrics/scaling/baseline.hpp"

namespace dlscale::analysis {

/// Moment of the training at which a run recorded a value.
struct TraceMoment {
  int epoch = 0;          ///< epoch that the moment ends, from 0
  std::int64_t step = 0;  ///< number of optimizer steps done in the whole run; 0: unknown
};

struct TracePoint {
  TraceMoment at;
  double value = 0;
};

/// Quantity of a figure. Exactly one of the members from `of_run` to `measured` is set, which gives
/// the values of the quantity at a point of the study. Values are in SI units.
struct Quantity {
  const char* name;     ///< name on the command line, such as "step-time"
  const char* summary;  ///< text for help and lists
  const char* id;       ///< name of the CSV column
  const char* title;    ///< title of the y axis without the unit
  const char* label;    ///< label in the legend of a figure with several quantities
  const char* unit;     ///< unit of the figure: "ms"; empty: none
  double scale = 1;     ///< factor from SI units to the unit of the figure
  const char* needs;    ///< what a run must have recorded: "a completed run with timed steps"
  std::optional<double> (*of_run)(const RunRow& run) = nullptr;
  std::optional<double> (*of_inference)(const InferenceRow& row) = nullptr;
  std::optional<double> (*of_target)(const TargetRow& row) = nullptr;
  Estimate (*relative)(const CurvePoint& point, const Baseline& baseline) = nullptr;
  /// Quantity that the programs of the runs measured (RunRow::measured).
  const MeasuredColumn* measured = nullptr;
  /// Values of the epochs of a run. Null for quantities that are not recorded by epoch.
  std::vector<TracePoint> (*by_epoch)(const RunRow& run) = nullptr;
  /// Values of the step windows of a run. Null for quantities that are not recorded by step window.
  std::vector<TracePoint> (*by_window)(const RunRow& run) = nullptr;
  /// Value of one rank in the last epoch, or nothing if the run did not record it. Null for
  /// quantities that are not recorded by rank.
  std::optional<double> (*of_rank)(const RunRow& run, std::size_t rank) = nullptr;
  /// True if `of_run` returns the inverse of the quantity. The median and the interval are computed
  /// from the inverse values, as in tables, because a mean of rates is not the rate of the means.
  bool inverse = false;
  bool is_exact = false;  ///< true if all repeats have the same value, such as a number of bytes
  bool from_zero = true;  ///< true if a linear axis of the quantity starts at 0
  const char* note = "";  ///< addition to the subtitle: "excluding the first epoch"
};

std::span<const Quantity> quantities();

/// Returns the value of a quantity in a run, in SI units. Returns nothing if the run did not record
/// the quantity, if it recorded several batch sizes or targets, or if the quantity depends on other
/// runs (speed-up and efficiency).
std::optional<double> value_of(const Quantity& quantity, const RunRow& run);

/// Returns the value of a quantity that the program of a completed run measured. Returns nothing if
/// the run did not complete or did not measure the quantity.
std::optional<double> measured_value(const MeasuredColumn& column, const RunRow& run);

/// Returns the quantities that a word of `dlscale plot` names. The words "loss", "accuracy",
/// "inference" and "transfer" name several quantities. Returns an empty list for an unknown name.
std::vector<const Quantity*> quantities_named(std::string_view name);

/// Returns all names for which quantities_named() returns quantities.
std::vector<std::string> quantity_names();

/// Returns the message for an unknown quantity. If the name is that of a measure of logs, or a name
/// that other programs give to a measure, the message suggests the quantity with this measure:
/// "validation-loss" for "test_loss" and "val_loss". `kind` and `known` are as in
/// base::unknown_name().
std::string unknown_quantity(std::string_view kind, const std::string& name,
                             const std::vector<std::string>& known);

/// Quantities that the programs of the runs measured, such as the model FLOP utilisation. On the
/// command line the quantity "mfu" is called "measured.mfu", so that its name never equals the name
/// of another quantity. The word "measured" names all of these quantities.
class MeasuredQuantities {
 public:
  explicit MeasuredQuantities(const Frame& frame);
  MeasuredQuantities(const MeasuredQuantities&) = delete;
  MeasuredQuantities& operator=(const MeasuredQuantities&) = delete;

  /// Returns true if the word of the command line names measured quantities, whether or not the
  /// runs have them.
  static bool is_measured(std::string_view word);
  /// Returns the quantities that the word names. If programs gave one name different units, each
  /// unit is a quantity. The names and units of the quantities stay valid as long as this object.
  /// Throws base::UsageError if no run measured a quantity with this name. The message lists the
  /// quantities that the runs measured.
  std::vector<const Quantity*> named(const std::string& word) const;
  /// Returns the names of all quantities on the command line.
  std::vector<std::string> names() const;

 private:
  struct Texts {
    MeasuredColumn column;
    std::string name, id, title;
    Quantity quantity;
  };
  std::deque<Texts> all_;
};

/// Returns the heading of an axis or a column: "step time (ms)".
std::string with_unit(const std::string& title, const Quantity& quantity);

}  // namespace dlscale::analysis
