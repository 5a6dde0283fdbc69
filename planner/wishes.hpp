// SPDX-License-Identifier: Apache-2.0
// What a study asks of the site for its jobs: the sections [resources] and [launch].
#pragma once

#include <optional>

#include "planner/fields.hpp"

namespace dlscale::planner {

struct ResourceWishes {
  double walltime_s = 0;   ///< 0: "auto"
  int cores_per_rank = 0;  ///< 0: the site's default
  std::optional<Node> partition;
  std::optional<Node> max_gpu_hours;
};

/// How runs become jobs.
struct LaunchWishes {};

/// Throw base::SpecError for unknown keys and values that cannot be.
ResourceWishes read_resources(const Item& section);
LaunchWishes read_launch(const Item& section);

}  // namespace dlscale::planner
