// SPDX-License-Identifier: Apache-2.0
#include "validation/refusal.hpp"

#include <fmt/format.h>

#include "contract/run_spec/process_count.hpp"
#include "validation/compatibility.hpp"
#include "validation/settings.hpp"

namespace dlscale::validation {
namespace {

std::vector<RequiredName> required_names(const contract::RunSpec& run) {
  std::vector<RequiredName> names{{"framework", "framework", run.framework},
                                  {"model", "model", run.model},
                                  {"loader", "loader", run.loader},
                                  {"lr_schedule", "lr_schedule.kind", run.lr_schedule.kind},
                                  {"dataset", "dataset.kind", run.dataset.kind},
                                  {"optimizer", "optimizer.kind", run.optimizer.kind}};
  if (!run.all_reduce.empty()) names.push_back({"all_reduce", "all_reduce", run.all_reduce});
  const contract::ResourceRequest& resources = run.resources;
  names.push_back({"communicator", "resources.communicator", resources.communicator});
  names.push_back({"device", "resources.device", resources.device});
  return names;
}

/// Checks that the communicator can access the memory of the device and can connect all ranks.
std::optional<Conflict> check_transport(const contract::RunSpec& run) {
  const std::string& communicator = run.resources.communicator;
  const bool on_gpus = run.resources.device == "cuda";
  if (on_gpus != (communicator == "nccl")) {
    return Conflict{"resources.communicator",
                    on_gpus
                        ? fmt::format("is {}, which cannot access GPU memory; use nccl with the "
                                      "device cuda, even for a single rank",
                                      communicator)
                        : fmt::format("is nccl, which requires GPUs; use mpi with the device {}",
                                      run.resources.device)};
  }
  if (communicator == "single" && contract::process_count(run) > 1) {
    return Conflict{"resources.communicator", "\"single\" supports only one rank; use \"mpi\""};
  }
  return {};
}

std::optional<Conflict> check_loader_device(const contract::Capabilities& build,
                                            const contract::RunSpec& run) {
  const contract::Traits* const loader = build.traits_of("loader", run.loader);
  if (loader == nullptr || !loader->needs_gpu || run.resources.device == "cuda") return {};
  return Conflict{"loader", fmt::format("is {}, which requires a GPU; on the device {} use another "
                                        "loader, such as dali_cpu or native",
                                        run.loader, run.resources.device)};
}

/// Checks that the model frozen_backbone names a backbone that the build supports.
std::optional<Conflict> check_backbone(const contract::Capabilities& build,
                                       const contract::RunSpec& run) {
  const std::string& backbone = run.model_options.backbone;
  if (run.model != "frozen_backbone" || !build.families.contains("backbone")) return {};
  if (build.has("backbone", backbone)) return {};
  return Conflict{
      "model_options.backbone",
      backbone.empty()
          ? "is not set; frozen_backbone needs the name of a pretrained model"
          : fmt::format("is {}, which cannot be the backbone of another model", backbone)};
}

}  // namespace

std::vector<RequiredName> missing_names(const contract::Capabilities& build,
                                        const contract::RunSpec& run) {
  std::vector<RequiredName> missing;
  for (RequiredName& required : required_names(run)) {
    if (required.name.starts_with(contract::kScriptModel)) continue;
    if (!build.has(required.family, required.name)) missing.push_back(std::move(required));
  }
  return missing;
}

std::optional<Conflict> find_refusal(const contract::Capabilities& build,
                                     const contract::RunSpec& run) {
  if (auto conflict = find_conflict(build, run)) return conflict;
  if (auto conflict = find_setting_conflict(run)) return conflict;
  if (auto conflict = find_input_conflict(build, run)) return conflict;
  if (auto conflict = check_backbone(build, run)) return conflict;
  if (auto conflict = check_transport(run)) return conflict;
  return check_loader_device(build, run);
}

std::string data_condition(const contract::Capabilities& build, const contract::RunSpec& run) {
  const contract::Traits* const data = build.traits_of("dataset", run.dataset.kind);
  if (data == nullptr || !data->any_size || run.dataset.image_size > 0) return "";
  return fmt::format("all images of {} have the same size (dataset.image_size is not set)",
                     run.dataset.kind);
}

}  // namespace dlscale::validation
