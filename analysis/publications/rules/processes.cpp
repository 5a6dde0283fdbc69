// SPDX-License-Identifier: Apache-2.0
// nn.DataParallel is one process with many GPUs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "analysis/publications/contradiction.hpp"

namespace dlscale::analysis {
namespace {

std::vector<Finding> find(const Publication& publication) {
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
  return {finding_at(
      publication.place,
      fmt::format("framework = {}; launcher = {}; processes_per_node = {}",
                  fmt::join(frameworks, ", "), fmt::join(launcher, ", "),
                  fmt::join(processes, ", ")),
      "DataParallel drives all GPUs from one process and synchronises within it; processes of a "
      "distributed launcher do not share weights by it, so it is open what kept them the same.")};
}

}  // namespace

extern const ContradictionRule processes_entry;
const ContradictionRule processes_entry{
    "processes", "one process drives all GPUs, yet several were launched", &find};

}  // namespace dlscale::analysis
