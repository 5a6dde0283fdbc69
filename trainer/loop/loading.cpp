// SPDX-License-Identifier: Apache-2.0
#include "trainer/loop/loading.hpp"

#include <cstdlib>

#include "trainer/data/data_file.hpp"
#include "trainer/tasks/task.hpp"

namespace dlscale::trainer {
namespace {

const LoaderEntry& loader_entry(const contract::RunSpec& spec) {
  return base::find(loader_table(), "loader", spec.loader);
}

/// Returns the steps that turn an image file of any size into a sample: crop, resize and flip.
PictureRecipe recipe_of(const contract::RunSpec& spec, bool is_training) {
  constexpr int kUsualSide = 224, kUsualShorterSide = 256;  // usual test sizes for ImageNet
  const contract::DatasetSpec& set = spec.dataset;
  PictureRecipe recipe;
  recipe.side = set.image_size;
  recipe.is_random = is_training;
  recipe.random_flip = is_training && set.random_flip;
  recipe.shorter_side =
      set.resize > 0 ? set.resize : set.image_size * kUsualShorterSide / kUsualSide;
  recipe.seed = seed_of(spec);
  if (!set.crop_scale.empty()) {
    recipe.bounds.scale_from = set.crop_scale[0];
    recipe.bounds.scale_to = set.crop_scale[1];
  }
  if (!set.crop_ratio.empty()) {
    recipe.bounds.ratio_from = set.crop_ratio[0];
    recipe.bounds.ratio_to = set.crop_ratio[1];
  }
  if (set.resample == "bilinear") recipe.resample = images::Resample::bilinear;
  return recipe;
}

}  // namespace

std::uint64_t seed_of(const contract::RunSpec& spec) {
  return spec.seed + static_cast<std::uint64_t>(spec.repetition) - 1;
}

Precision precision_of(const contract::RunSpec& spec) {
  return spec.precision == "fp64" ? Precision::fp64 : Precision::fp32;
}

std::unique_ptr<const Dataset> load_dataset(const contract::RunSpec& spec) {
  contract::DatasetSpec set = spec.dataset;
  set.path = expand_variables(set.path, ::getenv);
  const DatasetEntry& entry = base::find(dataset_table(), "dataset", set.kind);
  const LoaderEntry& loader = loader_entry(spec);
  const auto load = loader.load != nullptr ? loader.load : entry.load;
  return std::make_unique<const Dataset>(load(set));
}

DistributedSampler make_sampler(const contract::RunSpec& spec, const Dataset& dataset,
                                const SampleShare& share) {
  return DistributedSampler({.samples = dataset.train.size(),
                             .global_batch = spec.global_batch,
                             .rank = share.index,
                             .world_size = share.count,
                             .last_batch = spec.last_batch,
                             .seed = seed_of(spec),
                             .as_pytorch = spec.loader_options.sample_order == "pytorch",
                             .window = spec.loader_options.shuffle_window,
                             .lengths = dataset.train.lengths()});
}

std::unique_ptr<Loader> make_loader(const contract::RunSpec& spec, const Dataset& dataset,
                                    const Split& split, const LoaderPlace& place) {
  const bool is_evaluation = &split == &dataset.test;
  const Augmentation augmentation{.random_crop = spec.dataset.random_crop,
                                  .random_flip = spec.dataset.random_flip,
                                  .seed = seed_of(spec)};
  PictureRecipe pictures = recipe_of(spec, !is_evaluation);
  if (place.channels_last) pictures.layout = images::Layout::channels_last;
  return loader_entry(spec).make({.dataset = dataset,
                                  .split = split,
                                  .precision = precision_of(spec),
                                  .pinned = place.pinned,
                                  .target_is_input = task_of_model(spec.model).target_is_input,
                                  .is_evaluation = is_evaluation,
                                  .augmentation = is_evaluation ? Augmentation{} : augmentation,
                                  .pictures = pictures,
                                  .options = spec.loader_options,
                                  .cores = spec.resources.cores_per_rank,
                                  .gpu = place.gpu});
}

}  // namespace dlscale::trainer
