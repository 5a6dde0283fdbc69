// SPDX-License-Identifier: Apache-2.0
// Which runs belong together: a curve varies the GPU count alone, a point is its repetitions.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/metrics/statistics/interval.hpp"
#include "analysis/metrics/statistics/summary.hpp"

namespace dlscale::analysis {

inline constexpr const char* kGpus = "gpus";    ///< the axis along which curves go
inline constexpr const char* kNodes = "nodes";  ///< which goes with it

struct AxisValue {
  std::string axis;
  std::string value;
  bool operator==(const AxisValue&) const = default;
};

/// The value of every axis but the GPU count, in the study's order. It holds what the scaling mode
/// keeps fixed even where that is no axis: batch_per_gpu in weak mode, global_batch in strong mode
/// (and not the other one, which follows from the GPU count); empty where nobody says it. The
/// global batch is the one asked for: divided among the GPUs it may have been rounded down. A batch
/// per GPU that the GPUs could not share evenly is none of the whole ones: "12.5". `nodes` is in
/// the key only where a GPU count of the curve was measured on several numbers of them.
using CurveKey = std::vector<AxisValue>;

/// The keys of a frame's runs; the frame must stay as it is meanwhile.
class CurveKeys {
 public:
  explicit CurveKeys(const Frame& frame);
  CurveKey of(const RunRow& run) const;
  /// The global batch the run was asked for, as text; empty where nobody says it. Where a study
  /// has it for all runs alike, and so as no axis, the largest comes nearest to it.
  std::string asked_global_batch(const RunRow& run) const;
  /// True where curves keep the global batch but this run's was rounded down.
  bool has_uneven_batch(const RunRow& run) const;
  /// True where nobody says the batch that curves keep.
  bool has_unknown_batch(const RunRow& run) const;
  /// Curves (as text, without nodes) with a GPU count that was measured on several numbers of
  /// nodes.
  const std::set<std::string>& spread() const { return spread_; }

 private:
  CurveKey key_of(const RunRow& run, bool with_nodes) const;
  std::string fixed_batch_of(const RunRow& run) const;

  const Frame& frame_;
  std::string fixed_;               ///< the batch that curves keep
  std::int64_t largest_batch_ = 0;  ///< of the runs that name none
  std::set<std::string> spread_;
};

/// Whether curves with such keys keep the global batch, known or not.
bool keeps_global_batch(const CurveKey& key);

/// "gpus=4"; "global_batch unknown" where the value is empty.
std::string axis_text(const std::string& axis, const std::string& value);

/// `key`'s value of `axis`; empty when it has none.
std::string value_of(const CurveKey& key, const std::string& axis);

/// Where `key` stands when sorted by the study's order of axes and of their values.
std::vector<std::size_t> rank_of(const Frame& frame, const CurveKey& key);

/// "framework=ddp, lr_schedule=step": for messages.
std::string to_string(const CurveKey& key);

/// As to_string, with those axes alone that tell `key` from its neighbours; all if none does.
std::string name_among(const CurveKey& key, const std::vector<std::string>& varying_axes);

struct CurvePoint {
  int gpus = 1;
  int nodes = 1;
  std::vector<const RunRow*> repeats;      ///< in the plan's order; they live in the Frame
  std::vector<double> seconds_per_sample;  ///< of each repeat
};

struct ScalingCurve {
  CurveKey key;
  std::vector<CurvePoint> points;  ///< by ascending GPU count
  int first_gpus = 0;              ///< the smallest GPU count, of runs left out as well
  /// Why the points cannot be compared: a condition (device, CPU model, …) that differs between
  /// them. Empty when they can.
  std::string mixed;
};

/// Curves of the runs that have a throughput, in the study's order.
std::vector<ScalingCurve> scaling_curves(const Frame& frame);

/// Σ samples / Σ time, summarised over repeats: 1 / median(seconds per sample). Samples/s.
Estimate throughput(const CurvePoint& point);

std::vector<CurveKey> keys_of(const std::vector<ScalingCurve>& curves);
Repeats repeats_of(const std::vector<ScalingCurve>& curves);

/// The axes with more than one value among `keys`, in the study's order: what a reader needs to
/// tell the keys apart.
std::vector<std::string> varying_axes(const std::vector<CurveKey>& keys);

}  // namespace dlscale::analysis
