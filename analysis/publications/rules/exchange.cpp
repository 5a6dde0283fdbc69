// SPDX-License-Identifier: Apache-2.0
// Rules about data-parallel replicas and their communication.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "analysis/publications/contradiction.hpp"
#include "config/expression/expression.hpp"

namespace dlscale::analysis {

// Rule: the formula of the transferred volume gives 0 on a single GPU. A ring all-reduce on k GPUs
// sends 2 (k - 1) / k of the values.

namespace {

std::vector<Finding> find_transfer_without_ring(const Publication& publication) {
  const Definition* transfer = publication.definition("transfer");
  if (transfer == nullptr || transfer->formula.empty()) return {};
  const auto volume = [&](double gpus) {
    return config::compute(transfer->formula,
                           {{"samples", 1000}, {"batch", 10}, {"parameters", 1000}, {"gpus", gpus}},
                           transfer->place);
  };
  if (volume(1) == 0) return {};
  return {finding_at(
      transfer->place, "transfer = " + transfer->formula,
      fmt::format("On one GPU, which sends nothing, the formula gives {:.3g} times its value on "
                  "two GPUs: the factor 2 (k - 1) / k of a ring all-reduce is missing.",
                  volume(1) / volume(2)))};
}

}  // namespace

extern const ContradictionRule transfer_without_ring_entry;
const ContradictionRule transfer_without_ring_entry{
    "transfer_without_ring", "the formula for transferred data gives more than 0 for a single GPU",
    &find_transfer_without_ring};

// Rule: data-parallel replicas exchange gradients in the backward pass.

namespace {

/// Programs that exchange gradients during or after the backward pass.
const Words kExchangeInBackward{"ddp", "data_parallel", "horovod", "deepspeed"};

bool among(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<Finding> find_communication_elsewhere(const Publication& publication) {
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
  return {
      finding_at(publication.place,
                 fmt::format("communication = {}; computation = {}", fmt::join(communication, ", "),
                             fmt::join(computation, ", ")),
                 "Gradients are exchanged within the backward pass, which counts as computation "
                 "here. A barrier after the backward pass measures waiting, not transfer.")};
}

}  // namespace

extern const ContradictionRule communication_elsewhere_entry;
const ContradictionRule communication_elsewhere_entry{
    "communication_elsewhere", "the communication time excludes the exchange of gradients",
    &find_communication_elsewhere};

// Rule: nn.DataParallel drives several GPUs from one process.

namespace {

std::vector<Finding> find_processes(const Publication& publication) {
  const Words& frameworks = publication.setting("framework");
  const bool one_process =
      std::any_of(frameworks.begin(), frameworks.end(), [](const std::string& name) {
        return name == "data_parallel" || name == "vanilla_data_parallel";
      });
  const Words& processes = publication.setting("processes_per_node");
  const Words& launcher = publication.setting("launcher");
  const bool several = !processes.empty() && processes[0] != "1";
  const bool ranks = !launcher.empty() && launcher[0].find("distributed") != std::string::npos;
  if (!one_process || (!several && !ranks)) return {};
  return {finding_at(publication.place,
                     fmt::format("framework = {}; launcher = {}; processes_per_node = {}",
                                 fmt::join(frameworks, ", "), fmt::join(launcher, ", "),
                                 fmt::join(processes, ", ")),
                     "DataParallel drives all GPUs from one process and synchronises only within "
                     "that process. It does not synchronise weights between the processes of a "
                     "distributed launcher, so it is unclear what kept their weights equal.")};
}

}  // namespace

extern const ContradictionRule processes_entry;
const ContradictionRule processes_entry{
    "processes", "one process drives all GPUs, yet several processes were launched",
    &find_processes};

}  // namespace dlscale::analysis
