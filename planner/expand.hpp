// SPDX-License-Identifier: Apache-2.0
// From a study to the list of its points: product, includes, exclusions.
#pragma once

#include <string>
#include <vector>

#include "contract/plan.hpp"
#include "planner/study.hpp"

namespace dlscale::planner {

struct ExpandedPoint {
  contract::RunSpec run;  ///< without id, repetition and resources
  const Node* gpus;       ///< where the study says the GPU count; lives as long as the study
};

struct Expansion {
  std::vector<ExpandedPoint> points;
  std::vector<contract::SkippedPoint> skipped;
  std::vector<std::string> notes;  ///< what runs otherwise than asked, each once
};

/// The points in the order of [matrix]: the first axis varies slowest, the last fastest; then
/// those of each [[include]]. Exclusions hold for all of them; the first that matches is the
/// reason. Throws base::SpecError for a point that cannot run (unless the study skips such points),
/// naming it, for two points that are the same run, naming both, and for more than a million runs,
/// exclusions not counted. The study must outlive the result.
Expansion expand(const Study& study);

}  // namespace dlscale::planner
