// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/planning.hpp"

#include "planner/site/run_paths.hpp"

namespace dlscale::planner {

contract::RunSpec Planning::run(std::size_t i) const {
  const std::size_t at = i / static_cast<std::size_t>(study.repeats);
  contract::RunSpec run = run_of(study, expansion.points[at]);
  run.repetition = plan.runs[i].repetition;
  run.run_id = plan.runs[i].run_id;
  run.resources = allocations[at].request;
  fill_in_paths(run, site.variables);
  return run;
}

}  // namespace dlscale::planner
