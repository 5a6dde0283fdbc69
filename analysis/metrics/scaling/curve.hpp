// SPDX-License-Identifier: Apache-2.0
// Groups runs into scaling curves: a curve varies only the GPU count, and each of its points has
// repeats.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/metrics/statistics/interval.hpp"
#include "analysis/metrics/statistics/summary.hpp"

namespace dlscale::analysis {

inline constexpr const char* kGpus = "gpus";    ///< axis along which curves extend
inline constexpr const char* kNodes = "nodes";  ///< axis that follows the GPU count

struct AxisValue {
  std::string axis;
  std::string value;
  bool operator==(const AxisValue&) const = default;
};

/// Values of all axes except the GPU count, in the study's order. The key contains the batch that
/// the scaling mode keeps fixed, even if this batch is not an axis: batch_per_gpu in weak mode,
/// global_batch in strong mode. It does not contain the other batch, which follows from the GPU
/// count. The value is empty if the batch is unknown. The global batch is the requested one,
/// because dividing it among the GPUs may have rounded it down. A batch per GPU that the GPUs could
/// not share evenly is a fraction such as "12.5". `nodes` is in the key only if a GPU count of the
/// curve was measured on several node counts.
using CurveKey = std::vector<AxisValue>;

/// Keys of a frame's runs. The frame must not change while this object is in use.
class CurveKeys {
 public:
  explicit CurveKeys(const Frame& frame);
  CurveKey of(const RunRow& run) const;
  /// Returns the requested global batch of the run as text, or an empty text if it is unknown. If a
  /// study has the same batch for all runs and therefore no axis for it, the result is the largest
  /// recorded batch, which is nearest to the requested one.
  std::string asked_global_batch(const RunRow& run) const;
  /// Returns true if curves keep the global batch and this run's batch was rounded down.
  bool has_uneven_batch(const RunRow& run) const;
  /// Returns true if the batch that curves keep is unknown for this run.
  bool has_unknown_batch(const RunRow& run) const;
  /// Returns the curves, as text without nodes, that have a GPU count measured on several node
  /// counts.
  const std::set<std::string>& spread() const { return spread_; }

 private:
  CurveKey key_of(const RunRow& run, bool with_nodes) const;
  std::string fixed_batch_of(const RunRow& run) const;

  const Frame& frame_;
  std::string fixed_;               ///< name of the batch that curves keep
  std::int64_t largest_batch_ = 0;  ///< largest batch of the runs whose points name none
  std::set<std::string> spread_;
};

/// Returns true if curves with such keys keep the global batch, known or unknown.
bool keeps_global_batch(const CurveKey& key);

/// Returns "gpus=4", or "global_batch unknown" for an empty value.
std::string axis_text(const std::string& axis, const std::string& value);

/// Returns the value of `axis` in `key`, or an empty text if the key does not have the axis.
std::string value_of(const CurveKey& key, const std::string& axis);

/// Returns the sort positions of `key` by the study's order of axes and of their values.
std::vector<std::size_t> rank_of(const Frame& frame, const CurveKey& key);

/// Returns the key as text for messages: "framework=ddp, lr_schedule=step".
std::string to_string(const CurveKey& key);

/// Returns the key as to_string does, with only the axes that distinguish `key` from its
/// neighbours. Uses all axes if none of them does.
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
  int first_gpus = 0;              ///< smallest GPU count, including runs that were left out
  /// Condition (device, CPU model, …) that differs between the points, so that they cannot be
  /// compared. Empty if they can be compared.
  std::string mixed;
};

/// Returns the curves of all runs with a throughput, in the study's order.
std::vector<ScalingCurve> scaling_curves(const Frame& frame);

/// Returns Σ samples / Σ time in samples/s, summarised over repeats as 1 / median(seconds per
/// sample).
Estimate throughput(const CurvePoint& point);

std::vector<CurveKey> keys_of(const std::vector<ScalingCurve>& curves);
Repeats repeats_of(const std::vector<ScalingCurve>& curves);

/// Returns the axes with more than one value among `keys`, in the study's order. A reader needs
/// these axes to distinguish the keys.
std::vector<std::string> varying_axes(const std::vector<CurveKey>& keys);

}  // namespace dlscale::analysis
