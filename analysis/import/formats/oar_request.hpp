// SPDX-License-Identifier: Apache-2.0
// What OAR jobs ask for: one shape, or one of several (oarsub -l, once for each).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::analysis::oar {

/// Counts of one shape; null where the request does not give them ("host=ALL", no level of GPUs).
struct Shape {
  std::optional<std::int64_t> nodes, gpus;
  double walltime_s = 0;  ///< 0: not given
};

using Request = std::vector<Shape>;

/// Reads `-l "{type = 'default'}/host=2/gpu=4+/host=1/gpu=2,walltime=2:0:0" -l "…"`. Text in braces
/// selects resources and gives no counts.
Request parse_request(std::string_view text);

struct GpuCount {
  std::optional<std::int64_t> gpus;
  std::string problem;  ///< why the shape that the job got is not known
};

/// GPUs of the shape that a job got, by its nodes (0: none assigned) and its walltime.
GpuCount gpus_of(const Request& request, std::int64_t nodes, double walltime_s);

}  // namespace dlscale::analysis::oar
