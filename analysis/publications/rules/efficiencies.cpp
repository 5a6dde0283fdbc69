// SPDX-License-Identifier: Apache-2.0
// Rules: efficiencies follow from times, throughputs and speed-ups, and the efficiency at the
// baseline is 1.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "analysis/publications/axes.hpp"
#include "analysis/publications/contradiction.hpp"
#include "analysis/publications/published_series.hpp"
#include "analysis/publications/scaling_claim.hpp"
#include "config/expression/expression.hpp"

namespace dlscale::analysis {

// Rule: the formula of the efficiency gives 1 at the baseline.

namespace {

std::vector<Finding> find_efficiency_formula(const Publication& publication) {
  const Definition* efficiency = publication.definition("efficiency");
  const double gpus = publication.baseline_gpus;
  if (efficiency == nullptr || efficiency->formula.empty() || gpus <= 0) return {};
  const double nodes = publication.baseline_nodes > 0 ? publication.baseline_nodes : 1;
  const double at_baseline = config::compute(efficiency->formula,
                                             {{"speedup", 1},
                                              {"t", 1},
                                              {"t0", 1},
                                              {"gpus", gpus},
                                              {"gpus0", gpus},
                                              {"nodes", nodes},
                                              {"nodes0", nodes}},
                                             efficiency->place);
  if (std::abs(at_baseline - 1) < 1e-9) return {};
  return {finding_at(efficiency->place,
                     fmt::format("efficiency = {} with a baseline of {} GPUs on {} nodes",
                                 efficiency->formula, gpus, nodes),
                     fmt::format("At the baseline itself the formula gives {:.4g} instead of 1, so "
                                 "the efficiencies were not computed with it. The formula probably "
                                 "confuses GPUs with nodes, or omits the count of the baseline.",
                                 at_baseline))};
}

}  // namespace

extern const ContradictionRule efficiency_formula_entry;
const ContradictionRule efficiency_formula_entry{
    "efficiency_formula", "the printed formula of efficiency does not give 1 at the baseline",
    &find_efficiency_formula};

// Rule: efficiencies follow from the stated times and throughputs. If an efficiency was computed
// from rounded times, the finding says so.

namespace {

struct Rounding {
  int decimals = 0;  ///< decimals of the rounded times per node; 0: no explanation
  double efficiency = 0;
};

/// Finds out whether the stated efficiency was computed from rounded times per node. Returns the
/// number of decimals of these times, or 0 decimals if rounding does not explain the efficiency.
Rounding rounding_that_explains(const Publication& publication, const SeriesPoint& first,
                                const SeriesPoint& last, const Printed& stated) {
  if (publication.baseline_nodes <= 0 || publication.baseline_gpus <= 0) return {};
  const double per_node = publication.baseline_gpus / publication.baseline_nodes;
  const double nodes = last.at / per_node, nodes0 = first.at / per_node;
  for (int decimals = 4; decimals >= 1; --decimals) {
    const double scale = std::pow(10, decimals);
    const double cut = std::round(last.value->number->value / nodes * scale) / scale;
    const double cut0 = std::round(first.value->number->value / nodes0 * scale) / scale;
    if (cut <= 0) continue;
    const double efficiency = cut0 * nodes0 / (cut * nodes);
    if (stated.low <= efficiency && efficiency <= stated.high) return {decimals, efficiency};
  }
  return {};
}

/// Returns a sentence if rounded times per node explain the stated efficiency. Otherwise returns an
/// empty text.
std::string rounding_text(const Publication& publication, const ClaimMismatch& one) {
  if (!is_whole_time(*one.point)) return "";
  const Rounding rounding = rounding_that_explains(publication, {one.from, one.base},
                                                   {one.at, one.point}, allowed(*one.claim));
  if (rounding.decimals == 0) return "";
  return fmt::format(
      " Times per node rounded to {} decimals give {:.4f}: the stated efficiency was computed from "
      "a rounded table.",
      rounding.decimals, rounding.efficiency);
}

/// Returns a hint if the efficiency is correct for a throughput of one GPU. Otherwise returns an
/// empty text.
std::string per_gpu_text(const ClaimMismatch& one) {
  if (!is_rate(*one.point)) return "";
  const Printed per_gpu = speedup_of(*one.base, *one.point);
  if (!overlap(allowed(*one.claim), per_gpu)) return "";
  return " The efficiency agrees with the throughput of one GPU: name the column of this "
         "throughput throughput_per_gpu.";
}

std::vector<Finding> find_efficiency_and_times(const Publication& publication) {
  std::vector<Finding> found;
  for (const ClaimMismatch& one : claims_beside_measurements(publication, "efficiency")) {
    Evidence evidence{one.claim, one.base};
    if (one.point != one.base) evidence.push_back(one.point);
    const char* const source = is_whole_time(*one.point) ? "times" : "throughputs";
    found.push_back(finding_of(
        evidence,
        fmt::format("From the {} themselves the efficiency is {:.4f}.{}{}{}", source, one.implied,
                    rounding_text(publication, one), per_gpu_text(one), assumption_of(one))));
  }
  return found;
}

}  // namespace

extern const ContradictionRule efficiency_and_times_entry;
const ContradictionRule efficiency_and_times_entry{
    "efficiency_and_times",
    "a stated efficiency differs from the efficiency that follows from the stated times or "
    "throughputs",
    &find_efficiency_and_times};

// Rule: a speed-up and an efficiency of one point agree.

namespace {

/// Returns true if two values agree within rounding and the stated spread between runs.
bool agree(const Printed& a, Printed b, double variation) {
  b.low *= 1 - variation;
  b.high *= 1 + variation;
  return overlap(a, b);
}

std::vector<Finding> judge(const Publication& publication, const Published& speedup) {
  const auto from = AxisCell(speedup.from).number();
  auto to = AxisCell(speedup.to).number();
  if (!to) to = AxisCell(speedup.axis("gpus")).number();
  if (!from || !to) return {};
  Printed implied = allowed(speedup);
  const double scale = *from / *to;
  implied = {implied.value * scale, implied.low * scale, implied.high * scale};
  Evidence evidence{&speedup};
  for (const Published& value : publication.values) {
    const bool exact = value.relation == "=" || value.relation == "~";
    if (value.quantity != "efficiency" || !value.is_value() || !exact ||
        AxisCell(value.axis("gpus")).number() != to ||
        !may_be_one_point(speedup.axes, value.axes)) {
      continue;
    }
    if (agree(implied, allowed(value), publication.variation)) return {};
    evidence.push_back(&value);
  }
  if (evidence.size() < 2) return {};
  return {finding_of(
      evidence, fmt::format("A speed-up of {} on {:g} times the GPUs is an efficiency of {:.3f}, "
                            "which differs from all efficiencies stated for that point.",
                            speedup.text, *to / *from, implied.value))};
}

/// Returns the mismatches between the speed-ups and the efficiencies of the same curve.
std::vector<Finding> of_curves(const Publication& publication) {
  std::vector<Finding> found;
  for (const PairMismatch& one : speedups_beside_efficiencies(publication)) {
    found.push_back(finding_of(
        {one.speedup, one.efficiency},
        fmt::format("A speed-up of {} on {:g} times the GPUs is an efficiency of {:.3f}.",
                    one.speedup->text, one.ratio, one.speedup->number->value / one.ratio)));
  }
  return found;
}

std::vector<Finding> find_speedup_and_efficiency(const Publication& publication) {
  std::vector<Finding> found = of_curves(publication);
  for (const Published& value : publication.values) {
    const bool along_gpus = value.along == "gpus" || value.along.empty();
    if (value.quantity != "speedup" || !along_gpus || !value.is_value()) continue;
    for (Finding& finding : judge(publication, value)) found.push_back(std::move(finding));
  }
  return found;
}

}  // namespace

extern const ContradictionRule speedup_and_efficiency_entry;
const ContradictionRule speedup_and_efficiency_entry{
    "speedup_and_efficiency",
    "a speed-up divided by its GPU ratio differs from the stated efficiency",
    &find_speedup_and_efficiency};

}  // namespace dlscale::analysis
