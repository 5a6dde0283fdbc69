// SPDX-License-Identifier: Apache-2.0
#include "trainer/capabilities.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "contract/learning_rate.hpp"
#include "contract/misfit.hpp"
#include "contract/setting_misfit.hpp"
#include "contract/version.hpp"
#include "contract/vocabulary.hpp"
#include "trainer/build_info.hpp"
#include "trainer/comm/algorithms/all_reduce.hpp"
#include "trainer/comm/communicator_table.hpp"
#include "trainer/comm/mpi.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/device/device.hpp"
#include "trainer/models/model.hpp"
#include "trainer/optim/optimizer.hpp"
#include "trainer/parallel/parallel_style.hpp"
#include "trainer/recipe_fit.hpp"
#include "trainer/sync/gradient_sync.hpp"
#include "trainer/tasks/task.hpp"

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

std::vector<std::string> devices() {
  std::vector<std::string> names;
  for (const DeviceEntry* entry : device_table()) {
    if (!entry->unavailable) names.emplace_back(entry->name);
  }
  return names;
}

/// Those of this build; what a loader opens as the trainer runs may be missing.
std::vector<std::string> loaders() {
  const bool has_gpus = !base::find(device_table(), "device", "cuda").unavailable;
  std::vector<std::string> names;
  for (const LoaderEntry* entry : loader_table()) {
    if (has_gpus || !entry->needs_gpu) names.emplace_back(entry->name);
  }
  return names;
}

/// Why this machine lacks what a loader opens; empty where it has it.
std::string why_missing(const std::string& name) {
  const LoaderEntry& loader = base::find(loader_table(), "loader", name);
  return loader.why_missing ? loader.why_missing() : "";
}

/// ": " and why this build lacks what has a row, if the row says so.
template <class Entry>
std::string reason(base::Table<Entry> table, const std::string& name) {
  for (const Entry* entry : table) {
    if (entry->name == name && entry->unavailable) return std::string(": ") + entry->unavailable;
  }
  return "";
}

/// The same of a loader, which lacks what its device lacks.
std::string loader_reason(const std::string& name) {
  for (const LoaderEntry* entry : loader_table()) {
    if (entry->name == name && entry->needs_gpu) return reason(device_table(), "cuda");
  }
  return "";
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

using TraitsByName = std::map<std::string, contract::Traits>;

TraitsByName model_traits() {
  TraitsByName traits;
  const auto add = [&](const std::string& name, const char* input) -> contract::Traits& {
    const TaskEntry& task = task_of_model(name);
    return traits[name] = {
               .samples = input,
               .task = task.name,
               .input_is_target = task.target_is_input,
               .smooths_labels = task.smooths_labels,
               .is_one_block = task.needs_whole_model || name == contract::kScriptModel};
  };
  for (const ModelEntry* model : model_table()) {
    contract::Traits& added = add(model->name, model->input);
    added.is_residual = model->is_residual;
    added.has_dropout = model->has_dropout;
  }
  add(std::string(contract::kScriptModel), "images").has_dropout = true;  // it may have
  return traits;
}

TraitsByName loader_traits() {
  TraitsByName traits;
  for (const LoaderEntry* loader : loader_table()) {
    traits[loader->name] = {.samples = loader->samples,
                            .augments = loader->augments,
                            .any_size = loader->any_size,
                            .is_in_memory = loader->in_memory};
  }
  return traits;
}

TraitsByName dataset_traits() {
  TraitsByName traits;
  for (const DatasetEntry* set : dataset_table()) {
    traits[set->name] = {.samples = set->samples,
                         .task = set->task,
                         .is_generated = set->is_generated,
                         .any_size = set->any_size};
  }
  return traits;
}

/// Throws base::SpecError where ranks cannot be connected so.
void require_transport(const contract::RunSpec& spec, const std::string& file) {
  const std::string& communicator = spec.resources.communicator;
  const bool gpus = spec.resources.device == "cuda";
  if (gpus != (communicator == "nccl")) {
    throw base::SpecError(
        {file}, "resources.communicator",
        gpus ? fmt::format("is {}, which reaches no memory of GPUs; the device cuda wants nccl, "
                           "for one rank as well",
                           communicator)
             : fmt::format("is nccl, which connects GPUs; the device {} wants mpi",
                           spec.resources.device));
  }
}

/// Throws where the loader cannot work here, or not on this device.
void require_loader(const contract::RunSpec& spec, const std::string& file) {
  const LoaderEntry& loader = base::find(loader_table(), "loader", spec.loader);
  if (loader.needs_gpu && spec.resources.device != "cuda") {
    throw base::SpecError({file}, "loader",
                          fmt::format("is {}, which works on the rank's GPU; on the device {} use "
                                      "another, as dali_cpu or native",
                                      spec.loader, spec.resources.device));
  }
  if (const std::string why = why_missing(spec.loader); !why.empty()) {
    throw base::SpecError({file}, "loader", fmt::format("is {}, but {}", spec.loader, why));
  }
}

contract::Capabilities capabilities_of_build() {
  return {
      .version = contract::version(),
      .built_with = built_with(),
      .families = {{"framework", frameworks()},
                   {"model", base::names(model_table())},
                   {"loader", loaders()},
                   {"lr_schedule", base::names(contract::lr_schedule_table())},
                   {"dataset", base::names(dataset_table())},
                   {"optimizer", base::names(optimizer_table())},
                   {"communicator", communicators()},
                   {"all_reduce", all_reduces()},
                   {"device", devices()}},
      .traits = {
          {"model", model_traits()}, {"loader", loader_traits()}, {"dataset", dataset_traits()}}};
}

}  // namespace

contract::Capabilities capabilities() {
  contract::Capabilities here = capabilities_of_build();
  std::erase_if(here.families.at("loader"),
                [](const std::string& name) { return !why_missing(name).empty(); });
  here.built_with["dali"] = dali_here();
  return here;
}

void require_available(const contract::RunSpec& spec, const std::string& file) {
  if (!spec.trainer.command.empty()) {
    throw base::SpecError({file}, "trainer.command",
                          "this run is another program's; its job script starts that");
  }
  // What is opened as the trainer runs is asked for only where the run wants it.
  const contract::Capabilities available = capabilities_of_build();
  const auto require = [&](const char* family, const char* key, const std::string& name,
                           const std::string& why = "") {
    if (available.has(family, name)) return;
    throw base::SpecError({file}, key,
                          fmt::format("this dlscale-train has no {} \"{}\" (it has: {}){}", family,
                                      name, fmt::join(available.families.at(family), ", "), why));
  };
  require("framework", "framework", spec.framework);
  if (!spec.model.starts_with(contract::kScriptModel)) require("model", "model", spec.model);
  require("loader", "loader", spec.loader, loader_reason(spec.loader));
  require("lr_schedule", "lr_schedule.kind", spec.lr_schedule.kind);
  require("dataset", "dataset.kind", spec.dataset.kind);
  require("optimizer", "optimizer.kind", spec.optimizer.kind);
  if (!spec.all_reduce.empty()) require("all_reduce", "all_reduce", spec.all_reduce);
  const contract::ResourceRequest& resources = spec.resources;
  require("communicator", "resources.communicator", resources.communicator,
          reason(communicator_table(), resources.communicator));
  require("device", "resources.device", resources.device, reason(device_table(), resources.device));
  if (const auto misfit = contract::find_misfit(available, spec)) {
    throw base::SpecError({file}, misfit->key, misfit->reason);
  }
  if (const auto misfit = contract::find_setting_misfit(spec)) {
    throw base::SpecError({file}, misfit->key, misfit->reason);
  }
  require_transport(spec, file);
  require_loader(spec, file);
  require_recipe_fit(spec, file);
}

}  // namespace dlscale::trainer
