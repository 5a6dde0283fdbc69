// SPDX-License-Identifier: Apache-2.0
// A single GPU sends nothing; a ring sends 2 (k - 1) / k of the values.
#include <fmt/format.h>

#include "analysis/publications/contradiction.hpp"
#include "analysis/publications/formula.hpp"

namespace dlscale::analysis {
namespace {

std::vector<Finding> find(const Publication& publication) {
  const Definition* transfer = publication.definition("transfer");
  if (transfer == nullptr || transfer->formula.empty()) return {};
  const auto volume = [&](double gpus) {
    return evaluate(transfer->formula,
                    {{"samples", 1000}, {"batch", 10}, {"parameters", 1000}, {"gpus", gpus}},
                    transfer->place);
  };
  if (volume(1) == 0) return {};
  return {finding_at(
      transfer->place, "transfer = " + transfer->formula,
      fmt::format("On one GPU, where nothing is sent, the formula gives {:.3g} times what it gives "
                  "on two: the factor 2 (k - 1) / k of a ring all-reduce is left out.",
                  volume(1) / volume(2)))};
}

}  // namespace

extern const ContradictionRule transfer_without_ring_entry;
const ContradictionRule transfer_without_ring_entry{
    "transfer_without_ring", "the formula of transfer lets a single GPU send", &find};

}  // namespace dlscale::analysis
