// SPDX-License-Identifier: Apache-2.0
#include "trainer/assemble.hpp"

#include <cstdlib>
#include <optional>

#include "trainer/agreement.hpp"
#include "trainer/data/dataset_path.hpp"
#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::trainer {
namespace {

std::unique_ptr<const Dataset> load_dataset(contract::DatasetSpec spec) {
  spec.path = expand_variables(spec.path, ::getenv);
  const DatasetEntry& entry = base::find(dataset_table(), "dataset", spec.kind);
  return std::make_unique<const Dataset>(entry.load(spec));
}

/// Everything that needs no other rank.
TrainerParts make_local_parts(const contract::RunSpec& spec, int rank, int local_rank) {
  const std::uint64_t seed = spec.seed + static_cast<std::uint64_t>(spec.repetition) - 1;
  auto dataset = load_dataset(spec.dataset);
  const DistributedSampler sampler({.samples = dataset->train.size(),
                                    .global_batch = spec.global_batch,
                                    .rank = rank,
                                    .world_size = spec.gpus,
                                    .last_batch = spec.last_batch,
                                    .seed = seed});
  auto device = base::find(device_table(), "device", spec.resources.device)
                    .make({.local_rank = local_rank, .cores = spec.resources.cores_per_rank});
  const Precision precision = spec.precision == "fp64" ? Precision::fp64 : Precision::fp32;
  const LoaderEntry& loader = base::find(loader_table(), "loader", spec.loader);
  auto train_loader = loader.make({*dataset, dataset->train, precision});
  auto test_loader = loader.make({*dataset, dataset->test, precision});
  auto model = base::find(model_table(), "model", spec.model)
                   .make({.input = dataset->shape,
                          .classes = dataset->classes,
                          .precision = precision,
                          .device = *device,
                          .seed = seed});
  auto optimizer = base::find(optimizer_table(), "optimizer", spec.optimizer.kind)
                       .make(spec.optimizer, model->parameters());
  return {.dataset = std::move(dataset),
          .sampler = sampler,
          .learning_rate = LearningRateCurve(spec, sampler.steps_per_epoch()),
          .device = std::move(device),
          .train_loader = std::move(train_loader),
          .test_loader = std::move(test_loader),
          .model = std::move(model),
          .optimizer = std::move(optimizer),
          .sync = nullptr};
}

}  // namespace

TrainerParts assemble(const contract::RunSpec& spec, int local_rank, CollectiveQueue& queue,
                      const base::Clock& clock) {
  std::optional<TrainerParts> parts;
  all_or_none(queue, [&] { parts.emplace(make_local_parts(spec, queue.rank(), local_rank)); });
  const Model& model = *parts->model;
  broadcast_from_root(model.parameters(), queue);
  parts->sync = base::find(sync_table(), "framework", spec.framework)
                    .make({.parameters = model.parameters(),
                           .parameter_names = model.parameter_names(),
                           .options = spec.framework_options,
                           .queue = queue,
                           .clock = clock});
  return std::move(*parts);
}

}  // namespace dlscale::trainer
