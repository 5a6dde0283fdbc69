// SPDX-License-Identifier: Apache-2.0
// Data-parallel replicas exchange gradients in the backward pass.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "analysis/publications/contradiction.hpp"

namespace dlscale::analysis {
namespace {

/// Those that exchange gradients while the backward pass runs, or at its end.
const Words kExchangeInBackward{"ddp", "data_parallel", "horovod", "deepspeed"};

bool among(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<Finding> find(const Publication& publication) {
  const Words& communication = publication.setting("communication");
  const Words& computation = publication.setting("computation");
  const Words& frameworks = publication.setting("framework");
  const bool exchanges =
      std::any_of(frameworks.begin(), frameworks.end(),
                  [](const std::string& name) { return among(kExchangeInBackward, name); });
  const bool waits_alone =
      !communication.empty() &&
      std::all_of(communication.begin(), communication.end(), [](const std::string& part) {
        return part == "barrier" || part == "synchronize";
      });
  if (!exchanges || !waits_alone || !among(computation, "backward")) return {};
  return {finding_at(
      publication.place,
      fmt::format("communication = {}; computation = {}", fmt::join(communication, ", "),
                  fmt::join(computation, ", ")),
      "Gradients are exchanged within the backward pass, which counts as computation here; a "
      "barrier behind it measures waiting, not transfer.")};
}

}  // namespace

extern const ContradictionRule communication_elsewhere_entry;
const ContradictionRule communication_elsewhere_entry{
    "communication_elsewhere",
    "what is called communication time leaves the exchange of gradients out", &find};

}  // namespace dlscale::analysis
