// SPDX-License-Identifier: Apache-2.0
#include "trainer/about/capabilities.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "contract/run_spec/learning_rate.hpp"
#include "contract/run_spec/vocabulary.hpp"
#include "contract/version.hpp"
#include "trainer/comm/algorithms/all_reduce.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/comm/mpi.hpp"
#include "trainer/data/dali/dali_loader.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/device/device.hpp"
#include "trainer/models/model.hpp"
#include "trainer/optim/optimizer.hpp"
#include "trainer/parallel/parallel_style.hpp"
#include "trainer/sync/gradient_sync.hpp"
#include "trainer/tasks/task.hpp"
#include "validation/refusal.hpp"

namespace dlscale::trainer {
namespace {

bool has_cuda() {
  return base::find(device_table(), "device", "cuda").unavailable == nullptr;
}

}  // namespace

std::map<std::string, std::string> built_with() {
  // trainer/CMakeLists.txt defines the macros in this list.
  return {{"torch", DLSCALE_TORCH_VERSION},    {"mpi", mpi_version()},
          {"cuda", has_cuda() ? "yes" : "no"}, {"compiler", DLSCALE_COMPILER},
          {"build_type", DLSCALE_BUILD_TYPE},  {"sanitizer", DLSCALE_SANITIZER}};
}

std::string dali_here() {
  return dali::describe_library();
}

namespace {

std::vector<std::string> communicators() {
  std::vector<std::string> names;
  for (const CommunicatorEntry* entry : communicator_table()) {
    // The communicator "thread" is left out. It runs ranks as threads of one process and is used
    // only in tests. The ranks of a run are always processes.
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

/// Returns the names of the loaders that this build supports. A loader is included even if the
/// library that it opens at run time is missing on this machine.
std::vector<std::string> loaders() {
  const bool has_gpus = !base::find(device_table(), "device", "cuda").unavailable;
  std::vector<std::string> names;
  for (const LoaderEntry* entry : loader_table()) {
    if (has_gpus || !entry->needs_gpu) names.emplace_back(entry->name);
  }
  return names;
}

/// Returns the reason why the library that the loader `name` opens at run time is missing on this
/// machine. Returns an empty string if the library is present or if the loader needs no such
/// library.
std::string why_missing(const std::string& name) {
  const LoaderEntry& loader = base::find(loader_table(), "loader", name);
  return loader.why_missing ? loader.why_missing() : "";
}

/// Returns ": " followed by the reason why this build does not support `name`. Returns an empty
/// string if the table contains no reason.
template <class Entry>
std::string reason(base::Table<Entry> table, const std::string& name) {
  for (const Entry* entry : table) {
    if (entry->name == name && entry->unavailable) return std::string(": ") + entry->unavailable;
  }
  return "";
}

/// Returns the reason why this build does not support the device that a loader needs, in the format
/// of reason().
std::string loader_reason(const std::string& name) {
  for (const LoaderEntry* entry : loader_table()) {
    if (entry->name == name && entry->needs_gpu) return reason(device_table(), "cuda");
  }
  return "";
}

/// Returns the names of dlscale's own all-reduce algorithms and of the Open MPI algorithms that a
/// run can select.
std::vector<std::string> all_reduces() {
  std::vector<std::string> names = base::names(all_reduce_table());
  for (const std::string& name : contract::vocabulary("all_reduce")) {
    if (name.starts_with(kOpenMpiPrefix)) names.push_back(name);
  }
  return names;
}

/// Returns the names of the models that the model frozen_backbone can use as its backbone.
std::vector<std::string> backbones() {
  std::vector<std::string> names;
  for (const ModelEntry* model : model_table()) {
    if (model->backbone != nullptr) names.emplace_back(model->name);
  }
  return names;
}

/// Returns the names of all framework styles: first the styles in which each rank has a replica of
/// the model, then the other styles.
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
    added.smallest_side = model->smallest_side;
    added.side_multiple = model->side_multiple;
    for (const int channels : model->channels) {
      if (channels > 0) added.channels.push_back(channels);
    }
    added.blocks = model->blocks;
  }
  add(std::string(contract::kScriptModel), "images").has_dropout = true;  // scripts may use dropout
  return traits;
}

TraitsByName loader_traits() {
  TraitsByName traits;
  for (const LoaderEntry* loader : loader_table()) {
    traits[loader->name] = {.samples = loader->samples,
                            .augments = loader->augments,
                            .any_size = loader->any_size,
                            .is_in_memory = loader->in_memory,
                            .needs_gpu = loader->needs_gpu};
  }
  return traits;
}

TraitsByName dataset_traits() {
  TraitsByName traits;
  for (const DatasetEntry* set : dataset_table()) {
    traits[set->name] = {.samples = set->samples,
                         .task = set->task,
                         .is_generated = set->is_generated,
                         .any_size = set->any_size,
                         .shape = set->shape,
                         .train_samples = set->train_samples};
  }
  return traits;
}

/// Returns the reason why a required component, such as a loader or a device, is not available.
/// Returns an empty string if no reason is known, which is the case for a name that the build does
/// not contain.
std::string why_absent(const validation::RequiredName& name) {
  if (name.family == "loader") return loader_reason(name.name);
  if (name.family == "communicator") return reason(communicator_table(), name.name);
  return name.family == "device" ? reason(device_table(), name.name) : "";
}

contract::Capabilities capabilities_of_build() {
  return {
      .version = contract::version(),
      .built_with = built_with(),
      .families = {{"framework", frameworks()},
                   {"model", base::names(model_table())},
                   {"backbone", backbones()},
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
                          "this run uses another training program; start it with its job script");
  }
  // capabilities_of_build() assumes that all libraries that are opened at run time are present. The
  // presence of a library is checked below, and only if the run needs the library.
  const contract::Capabilities available = capabilities_of_build();
  if (const auto missing = validation::missing_names(available, spec); !missing.empty()) {
    const validation::RequiredName& first = missing.front();
    throw base::SpecError(
        {file}, first.key,
        fmt::format("this dlscale-train has no {} \"{}\" (it has: {}){}", first.family, first.name,
                    fmt::join(available.families.at(first.family), ", "), why_absent(first)));
  }
  if (const auto refusal = validation::find_refusal(available, spec)) {
    throw base::SpecError({file}, refusal->key, refusal->reason);
  }
  if (const std::string why = why_missing(spec.loader); !why.empty()) {
    throw base::SpecError({file}, "loader", fmt::format("is {}, but {}", spec.loader, why));
  }
}

}  // namespace dlscale::trainer
