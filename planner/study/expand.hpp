// SPDX-License-Identifier: Apache-2.0
// From a study to the list of its points: products, includes, exclusions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "planner/study/point_values.hpp"
#include "planner/study/run_names.hpp"
#include "planner/study/study.hpp"

namespace dlscale::planner {

/// One point of a study and the run that follows from it, derived once.
struct Point {
  std::uint32_t matrix = 0;              ///< of Study::matrices
  std::vector<std::uint32_t> values;     ///< of each axis: the index of its value
  std::vector<std::uint32_t> overrides;  ///< those of the matrix that hold
  std::string id;                        ///< what the ids of its runs begin with
  std::vector<std::uint32_t> also;       ///< other matrices that ask for the same run
  std::uint32_t resources = 0;           ///< the matrix whose [resources] count
  contract::RunSpec run;  ///< without id, repetition and resources; empty for an excluded point
};

/// How many points were asked about, and how many of them are wanted.
struct Asked {
  std::size_t all = 0, wanted = 0;
};

struct Expansion {
  std::vector<Point> points;
  std::vector<contract::SkippedPoint> skipped;
  std::vector<std::string> notes;  ///< what is otherwise than asked or meant, each once
  std::optional<Asked> asked;      ///< where only some points were wanted
};

/// Whether a point is wanted: asked with its axes, GPUs and batches, before its run is described.
using Wanted = std::function<bool(const contract::PlannedRun&)>;

/// The points of each matrix in the order of its axes: the first varies slowest, the last fastest;
/// then those of each [[include]]. Overrides see the values as [matrix] and [training] have them,
/// exclusions as the overrides leave them; exclusions hold for all points, the first that matches
/// is the reason. A run that several sub-studies ask for is one point. Throws base::SpecError for a
/// point that cannot run (unless the study skips such points), naming it, for two points of a
/// matrix that are the same run, naming both, for a point of sub-studies that want other resources
/// for it (all but its time), and for more than 100,000 runs, exclusions not counted. Points that
/// are not wanted are left out without a word, and not looked at: what is wrong with them is not
/// told.
Expansion expand(const Study& study, const Wanted& wanted = {}, const RunNames& names = {});

/// What is known of a point's runs before they are described: axes, GPUs, batches.
contract::PlannedRun outline(const Matrix& matrix, const Point& point, const PointValues& seen);

/// Where the study says the point's GPU count, and the count itself.
config::Item gpus_of(const Study& study, const Point& point);

}  // namespace dlscale::planner
