// SPDX-License-Identifier: Apache-2.0
// Efficiency is 1 at its own baseline, whatever the formula.
#include <fmt/format.h>

#include <cmath>

#include "analysis/publications/contradiction.hpp"
#include "analysis/publications/formula.hpp"

namespace dlscale::analysis {
namespace {

std::vector<Finding> find(const Publication& publication) {
  const Definition* efficiency = publication.definition("efficiency");
  const double gpus = publication.baseline_gpus;
  if (efficiency == nullptr || efficiency->formula.empty() || gpus <= 0) return {};
  const double nodes = publication.baseline_nodes > 0 ? publication.baseline_nodes : 1;
  const double at_baseline = evaluate(efficiency->formula,
                                      {{"speedup", 1},
                                       {"t", 1},
                                       {"t0", 1},
                                       {"gpus", gpus},
                                       {"gpus0", gpus},
                                       {"nodes", nodes},
                                       {"nodes0", nodes}},
                                      efficiency->place);
  if (std::abs(at_baseline - 1) < 1e-9) return {};
  return {finding_at(
      efficiency->place,
      fmt::format("efficiency = {} with a baseline of {} GPUs on {} nodes", efficiency->formula,
                  gpus, nodes),
      fmt::format("At the baseline itself the formula gives {:.4g} instead of 1, so it cannot be "
                  "what the efficiencies were computed with: GPUs and nodes, or a baseline's own "
                  "count, are mixed up.",
                  at_baseline))};
}

}  // namespace

extern const ContradictionRule efficiency_formula_entry;
const ContradictionRule efficiency_formula_entry{
    "efficiency_formula", "the printed formula of efficiency is not 1 at the baseline", &find};

}  // namespace dlscale::analysis
