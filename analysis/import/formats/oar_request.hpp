// SPDX-License-Identifier: Apache-2.0
// Parses the resource requests of OAR jobs. A request has one shape (numbers of nodes and GPUs) or,
// if oarsub -l is given several times, alternative shapes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::analysis::oar {

/// Counts of one shape. A count is null if the request does not state it ("host=ALL", or no GPU
/// level).
struct Shape {
  std::optional<std::int64_t> nodes, gpus;
  double walltime_s = 0;  ///< walltime in seconds; 0: not given
};

using Request = std::vector<Shape>;

/// Parses a request such as `-l "{type = 'default'}/host=2/gpu=4+/host=1/gpu=2,walltime=2:0:0" -l
/// "…"`. Text in braces selects resources and does not state counts.
Request parse_request(std::string_view text);

struct GpuCount {
  std::optional<std::int64_t> gpus;
  std::string problem;  ///< reason why the shape of the job is unknown
};

/// Returns the number of GPUs of a job. `nodes` (0: none assigned) and `walltime_s` are values of
/// the job, which show which shape of the request the job received.
GpuCount gpus_of(const Request& request, std::int64_t nodes, double walltime_s);

}  // namespace dlscale::analysis::oar
