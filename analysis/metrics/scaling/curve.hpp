// SPDX-License-Identifier: Apache-2.0
// Groups runs into scaling curves. Along a curve only the GPU count varies, and each point of a
// curve consists of one or more repeats.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/metrics/statistics/interval.hpp"
#include "analysis/metrics/statistics/summary.hpp"

namespace dlscale::analysis {

inline constexpr const char* kGpus = "gpus";  ///< axis that varies along a curve
/// Axes of the batch: samples of a GPU in a step, and samples of all GPUs.
inline constexpr const char* kBatchPerGpu = "batch_per_gpu";
inline constexpr const char* kGlobalBatch = "global_batch";
/// Returns true for the two axes of the batch.
bool is_batch(const std::string& axis);
inline constexpr const char* kNodes = "nodes";  ///< axis that usually depends on the GPU count
inline constexpr const char* kCode = "code";    ///< condition: version of the training code

struct AxisValue {
  std::string axis;
  std::string value;
  bool operator==(const AxisValue&) const = default;
};

/// Key that identifies a scaling curve: the values of all axes except the GPU count, in the study's
/// order. Two rules apply to the batch:
/// - The key contains the batch that the scaling mode keeps fixed, even if this batch is not an
///   axis: batch_per_gpu in weak mode, global_batch in strong mode. The other batch follows from
///   the GPU count and is not in the key.
/// - The value is empty if the batch is unknown. A global batch is the requested batch, because
///   dividing it among the GPUs may have rounded it down. A batch per GPU is a fraction such as
///   "12.5" if the global batch could not be divided evenly.
/// The axis `nodes` is in the key only if the curve has a GPU count that was measured on different
/// numbers of nodes.
using CurveKey = std::vector<AxisValue>;

/// Returns the name of the batch that is fixed along the curves of this study: kGlobalBatch or
/// kBatchPerGpu.
const char* fixed_batch(const Frame& frame);

/// Computes the curve keys of a frame's runs. The frame must not change while this object is in
/// use.
class CurveKeys {
 public:
  explicit CurveKeys(const Frame& frame);
  CurveKey of(const RunRow& run) const;
  /// Returns the requested global batch of the run as text, or an empty text if it is unknown. A
  /// study that has the same batch for all runs has no batch axis and therefore does not record the
  /// request. The result is then the largest global batch of any run, because rounding only makes
  /// batches smaller.
  std::string asked_global_batch(const RunRow& run) const;
  /// Returns true if the global batch is fixed along curves and the global batch of this run was
  /// rounded down.
  bool has_uneven_batch(const RunRow& run) const;
  /// Returns true if the batch that is fixed along curves is unknown for this run.
  bool has_unknown_batch(const RunRow& run) const;
  /// Returns the curves that have a GPU count which was measured on different numbers of nodes.
  /// Each curve is given by the text of its key without `nodes`.
  const std::set<std::string>& spread() const { return spread_; }

 private:
  CurveKey key_of(const RunRow& run, bool with_nodes) const;
  std::string fixed_batch_of(const RunRow& run) const;

  const Frame& frame_;
  std::string fixed_;  ///< name of the batch that is fixed along curves
  /// Largest global batch of the runs whose points contain no batch.
  std::int64_t largest_batch_ = 0;
  std::set<std::string> spread_;
};

/// Returns true if the global batch is fixed along the curve with this key, even if its value is
/// unknown.
bool keeps_global_batch(const CurveKey& key);

/// Returns a text such as "gpus=4". The text for an empty value is "global_batch unknown" for a
/// batch, and "no weights" for other axes.
std::string axis_text(const std::string& axis, const std::string& value);

/// Returns the value of `axis` in `key`, or an empty text if the key does not have the axis.
std::string value_of(const CurveKey& key, const std::string& axis);

/// Returns the position of each value of `key` in the study's list of values for that axis.
/// Comparing these lists sorts keys in the study's order.
std::vector<std::size_t> rank_of(const Frame& frame, const CurveKey& key);

/// Returns the key as text for messages: "framework=ddp, lr_schedule=step".
std::string to_string(const CurveKey& key);

/// Returns the name of an axis for readers. The name is the shortest end after a dot that no other
/// axis in `among` has, such as "depth" for models.mlp.depth. Returns the whole name if there is no
/// such end, or if the end has another meaning without the words before it, such as "base".
std::string short_axis(const std::string& axis, const std::vector<std::string>& among);

/// Returns the names of all axes of the keys, in the order in which they first appear.
std::vector<std::string> axes_of(const std::vector<CurveKey>& keys);

/// Returns the key as text for readers, with the short names of the axes: "framework=ddp, depth=4".
/// The text contains only the axes in `varying_axes`, which distinguish the keys of a table or
/// figure, or all axes if `varying_axes` is empty. It omits axes that the key does not have.
std::string name_among(const CurveKey& key, const std::vector<std::string>& varying_axes);

struct CurvePoint {
  int gpus = 1;
  int nodes = 1;
  std::vector<const RunRow*> repeats;      ///< repeats in the plan's order, owned by the Frame
  std::vector<double> seconds_per_sample;  ///< time per sample of each repeat
};

struct ScalingCurve {
  CurveKey key;
  std::vector<CurvePoint> points;  ///< points by ascending GPU count
  int first_gpus = 0;              ///< smallest GPU count of all runs, including left-out runs
  /// Sentence on a condition (device, CPU model, …) that differs between the points. Points with
  /// different conditions are not comparable. Empty if all points are comparable.
  std::string mixed;
  /// Name of this condition, such as kCode, or kNodes for the number of nodes.
  std::string mixed_condition = {};
};

/// Returns a sentence on the first condition (device, CPU model, …) in which a run differs from the
/// first run, or an empty text if all conditions that both runs record are equal.
std::string mixed_conditions(const std::vector<const RunRow*>& runs);

/// Returns the curves of all runs with a throughput, in the study's order.
std::vector<ScalingCurve> scaling_curves(const Frame& frame);

/// Returns the throughput of a point in samples/s: 1 / median over the repeats of (Σ time / Σ
/// samples).
Estimate throughput(const CurvePoint& point);

std::vector<CurveKey> keys_of(const std::vector<ScalingCurve>& curves);
Repeats repeats_of(const std::vector<ScalingCurve>& curves);

/// Returns the axes that have more than one value among `keys`, and the axes that only some of the
/// keys have, in the study's order. Readers need these axes to distinguish the keys.
std::vector<std::string> varying_axes(const std::vector<CurveKey>& keys);

}  // namespace dlscale::analysis
