// SPDX-License-Identifier: Apache-2.0
#include "trainer/capabilities.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "contract/version.hpp"
#include "contract/vocabulary.hpp"
#include "trainer/build_info.hpp"
#include "trainer/comm/algorithms/all_reduce.hpp"
#include "trainer/comm/communicator_table.hpp"
#include "trainer/comm/mpi.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/device/device.hpp"
#include "trainer/models/model.hpp"
#include "trainer/optim/lr_schedule.hpp"
#include "trainer/optim/optimizer.hpp"
#include "trainer/parallel/parallel_style.hpp"
#include "trainer/sync/gradient_sync.hpp"

namespace dlscale::trainer {
namespace {

std::vector<std::string> communicators() {
  std::vector<std::string> names;
  for (const CommunicatorEntry* entry : communicator_table()) {
    // Ranks of a run are processes; threads as ranks are for tests.
    if (!entry->unavailable && entry->name != std::string_view("thread")) {
      names.emplace_back(entry->name);
    }
  }
  return names;
}

/// Ours, and Open MPI's own.
std::vector<std::string> all_reduces() {
  std::vector<std::string> names = base::names(all_reduce_table());
  for (const std::string& name : contract::vocabulary("all_reduce")) {
    if (name.starts_with(kOpenMpiPrefix)) names.push_back(name);
  }
  return names;
}

/// Those in which each rank has a replica, and those that divide the work otherwise.
std::vector<std::string> frameworks() {
  std::vector<std::string> names = base::names(sync_table());
  for (const StyleEntry* entry : style_table()) names.emplace_back(entry->name);
  return names;
}

}  // namespace

contract::Capabilities capabilities() {
  return {.version = contract::version(),
          .built_with = built_with(),
          .families = {{"framework", frameworks()},
                       {"model", base::names(model_table())},
                       {"loader", base::names(loader_table())},
                       {"lr_schedule", base::names(lr_schedule_table())},
                       {"dataset", base::names(dataset_table())},
                       {"optimizer", base::names(optimizer_table())},
                       {"communicator", communicators()},
                       {"all_reduce", all_reduces()},
                       {"device", base::names(device_table())}}};
}

void require_available(const contract::RunSpec& spec, const std::string& file) {
  if (!spec.trainer.command.empty()) {
    throw base::SpecError({file}, "trainer.command",
                          "this run is another program's; its job script starts that");
  }
  const contract::Capabilities available = capabilities();
  const auto require = [&](const char* family, const char* key, const std::string& name) {
    if (available.has(family, name)) return;
    throw base::SpecError({file}, key,
                          fmt::format("this dlscale-train has no {} \"{}\" (it has: {})", family,
                                      name, fmt::join(available.families.at(family), ", ")));
  };
  require("framework", "framework", spec.framework);
  require("model", "model", spec.model);
  require("loader", "loader", spec.loader);
  require("lr_schedule", "lr_schedule.kind", spec.lr_schedule.kind);
  require("dataset", "dataset.kind", spec.dataset.kind);
  require("optimizer", "optimizer.kind", spec.optimizer.kind);
  if (!spec.all_reduce.empty()) require("all_reduce", "all_reduce", spec.all_reduce);
  require("communicator", "resources.communicator", spec.resources.communicator);
  require("device", "resources.device", spec.resources.device);
  if (!spec.mode.empty()) {
    throw base::SpecError({file}, "mode",
                          fmt::format("is {}, but this dlscale-train only trains", spec.mode));
  }
  const auto divided = base::names(style_table());
  if (spec.accumulation_steps > 1 &&
      std::find(divided.begin(), divided.end(), spec.framework) != divided.end()) {
    throw base::SpecError({file}, "accumulation_steps",
                          fmt::format("is {}, but {} does not accumulate gradients; use 1 and a "
                                      "larger batch_per_gpu (a pipeline has micro_batches)",
                                      spec.accumulation_steps, spec.framework));
  }
}

}  // namespace dlscale::trainer
