// SPDX-License-Identifier: Apache-2.0
// Lists the points of the user's study that can be compared with a publication: points that runs
// measured, points that were predicted, and points that are only planned.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/metrics/scaling/curve.hpp"
#include "analysis/publications/reference_study.hpp"

namespace dlscale::analysis {

/// Point of the user's study. It is measured (`curve` and `point` are set), predicted (`prediction`
/// and `planned` are set) or planned (only `planned` is set).
struct OwnPoint {
  /// Values of all axes as text, including conditions, counts and batch sizes.
  std::map<std::string, std::string> axes;
  const ScalingCurve* curve = nullptr;
  const CurvePoint* point = nullptr;
  const contract::RunPrediction* prediction = nullptr;
  const RunRow* planned = nullptr;  ///< a run of a predicted or planned point
  /// Sizes of the model and the data set. For a predicted point: the sizes in the prediction. For a
  /// planned point: the sizes that a run of the same model and data set recorded. Otherwise
  /// unknown.
  WorkSize size = {};
  CurveKey key;          ///< values that distinguish the curve of the point
  int gpus = 1;          ///< number of ranks
  bool on_cpus = false;  ///< true if the ranks compute on CPUs
  int folder = 0;        ///< number of the plan folder; points of different folders form no series
  bool measured() const { return point != nullptr; }
  bool predicted() const { return prediction != nullptr; }
};

/// Returns the points of all curves with their axes. A point that ran on CPUs has the axis `cores`
/// instead of `gpus`. The last part of a dotted axis is an axis too: a run with
/// `models.frozen_backbone.backbone` also has `backbone`.
std::vector<OwnPoint> own_points(const std::vector<ScalingCurve>& curves);

/// Returns a point for each saved prediction of training in the frame. The axes are those of the
/// predicted runs, which need not have been started. The frame must outlive the points.
std::vector<OwnPoint> predicted_points(const Frame& frame);

/// Returns a point for each point of the study without a measured throughput. The frame must
/// outlive the points.
std::vector<OwnPoint> planned_points(const Frame& frame);

/// Returns the value of the point on an axis, or an empty text. For the axes `gpus` and `cores`,
/// this is the number of ranks.
std::string value_along(const OwnPoint& own, const std::string& axis);

/// Returns the axes in which two points differ, apart from `along`, with both values: "gpus (2 and
/// 4)".
std::vector<std::string> differences(const OwnPoint& a, const OwnPoint& b,
                                     const std::string& along);

/// Returns the point that agrees with `own` in everything except the axis `along`, where it has
/// the value `value`. For the axes `gpus` and `cores`, this is another point of the same curve.
/// Returns null if there is none.
const OwnPoint* neighbour(const std::vector<OwnPoint>& points, const OwnPoint& own,
                          const std::string& along, const std::string& value);

/// Returns the points that agree with `own` in everything except the axis `along`, including `own`
/// itself, in ascending order of their numbers on this axis.
std::vector<const OwnPoint*> series_of(const std::vector<OwnPoint>& points, const OwnPoint& own,
                                       const std::string& along);

/// Returns true if the runs of `own` recorded a profile, which makes their steps slower, and
/// `points` contains the same point with runs that recorded no profile.
bool has_unprofiled_runs(const std::vector<OwnPoint>& points, const OwnPoint& own);

/// Returns the kind of the point as a word for readers: "run", "prediction", "CPU prediction" (of
/// ranks on CPUs) or "computed". Returns "CPU run" if the point was measured on CPUs and the
/// published value is for GPUs.
std::string source_of(const OwnPoint& own, bool published_for_gpus);

/// Returns a text such as "gpus 8, model resnet50".
std::string in_words(const OwnPoint& own);

}  // namespace dlscale::analysis
