// SPDX-License-Identifier: Apache-2.0
// Efficiencies follow from times and throughputs; those of rounded times do not.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "analysis/publications/contradiction.hpp"
#include "analysis/publications/published_series.hpp"
#include "analysis/publications/scaling_claim.hpp"

namespace dlscale::analysis {
namespace {

struct Rounding {
  int decimals = 0;  ///< of times per node; 0: none explains it
  double efficiency = 0;
};

/// To how many decimals a table of times per node was rounded, if that gives what is stated.
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

/// How far rounded table entries explain a stated efficiency.
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

/// A reading of the throughput as that of one GPU, where it explains the claim.
std::string per_gpu_text(const ClaimMismatch& one) {
  if (!is_rate(*one.point)) return "";
  const Printed per_gpu = speedup_of(*one.base, *one.point);
  if (!overlap(allowed(*one.claim), per_gpu)) return "";
  return " The two agree if the throughput is that of one GPU: call it throughput_per_gpu.";
}

std::vector<Finding> find(const Publication& publication) {
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
    "efficiency_and_times", "a stated efficiency is not that of the stated times or throughputs",
    &find};

}  // namespace dlscale::analysis
