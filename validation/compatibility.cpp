// SPDX-License-Identifier: Apache-2.0
#include "validation/compatibility.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <system_error>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "contract/run_spec/framework_styles.hpp"

namespace dlscale::validation {
namespace {

constexpr std::string_view kImages = "images";

struct Fit {
  const contract::RunSpec& run;
  const contract::Traits& model;
  const contract::Traits& data;
  const contract::Traits& loader;
};

using MaybeConflict = std::optional<Conflict>;

MaybeConflict check_model(const Fit& fit) {
  const contract::RunSpec& run = fit.run;
  const std::string& set = run.dataset.kind;
  if (fit.model.samples != fit.data.samples) {
    return Conflict{"model", fmt::format("{} takes {}, but the data set {} contains {}", run.model,
                                         fit.model.samples, set, fit.data.samples)};
  }
  if (!fit.model.input_is_target && fit.model.task != fit.data.task) {
    return Conflict{"model", fmt::format("{} is for {}, but the data set {} is for {}", run.model,
                                         fit.model.task, set, fit.data.task)};
  }
  if (run.zero_init_gamma && !fit.model.is_residual) {
    return Conflict{"zero_init_gamma",
                    fmt::format("requires a model with residual blocks, but dlscale knows no "
                                "residual blocks in {}; omit this key",
                                run.model)};
  }
  if (run.zero_init_gamma && !run.weights.empty()) {
    return Conflict{"zero_init_gamma", fmt::format("sets initial values, but training starts from "
                                                   "the weights in {}; omit one of the two keys",
                                                   run.weights)};
  }
  return {};
}

MaybeConflict check_stages(const Fit& fit) {
  const contract::RunSpec& run = fit.run;
  const int stages = contract::stage_count(run);
  if (fit.model.blocks > 0 && stages > fit.model.blocks) {
    return Conflict{contract::framework_style(run.framework).stages == contract::Stages::gpus
                        ? "gpus"
                        : "framework_options.model_parallel_size",
                    fmt::format("is {}, but the model {} has only {} blocks and cannot be divided "
                                "into that many stages",
                                stages, run.model, fit.model.blocks)};
  }
  if (stages == 1 || !fit.model.is_one_block) return {};
  const bool is_script = run.model.starts_with(contract::kScriptModel);
  return Conflict{
      "model", fmt::format("{0} is a single block and cannot be divided into the {2} stages of "
                           "{1}; use a framework that replicates the model",
                           is_script ? "a TorchScript module" : run.model, run.framework, stages)};
}

MaybeConflict check_loader(const Fit& fit) {
  const std::string& samples = fit.loader.samples;
  if (samples == "any" || samples == fit.data.samples) return {};
  return Conflict{"loader",
                  fmt::format("{} delivers {}, but the data set {} contains {}; use {}",
                              fit.run.loader, samples, fit.run.dataset.kind, fit.data.samples,
                              fit.data.samples == kImages ? "memory" : "text")};
}

MaybeConflict check_augmentation(const Fit& fit) {
  const contract::DatasetSpec& set = fit.run.dataset;
  for (const auto& [key, is_set] : {std::pair{"dataset.random_crop", set.random_crop > 0},
                                    std::pair{"dataset.random_flip", set.random_flip}}) {
    if (!is_set) continue;
    if (fit.data.samples != kImages) {
      return Conflict{
          key, fmt::format("applies to images, but the data set {} contains {}; omit this key",
                           set.kind, fit.data.samples)};
    }
    const bool cuts = set.image_size > 0 && fit.loader.any_size;
    if (!fit.loader.augments && !cuts) {
      return Conflict{
          key, fmt::format("the loader {} delivers images unchanged; use loader = \"memory\"",
                           fit.run.loader)};
    }
  }
  return {};
}

/// Checks that dataset.image_size is set if the loader scales images, and that it is not set if the
/// images of the data set or of the loader have a fixed size.
MaybeConflict check_pictures(const Fit& fit) {
  const contract::DatasetSpec& set = fit.run.dataset;
  const bool takes_memory = fit.loader.samples == "any" || !fit.loader.any_size;
  if (set.image_size == 0) {
    if (takes_memory || fit.data.samples != kImages) return {};
    return Conflict{
        "dataset.image_size",
        fmt::format("is missing; the loader {} scales images of any size to squares, so "
                    "set the side length, for example 224",
                    fit.run.loader)};
  }
  if (!fit.data.any_size) {
    return Conflict{"dataset.image_size",
                    fmt::format("applies to images of any size, but the images of the data set {} "
                                "have a fixed size; omit this key",
                                set.kind)};
  }
  if (!fit.loader.any_size) {
    return Conflict{"dataset.image_size",
                    fmt::format("requires a loader that decodes images; {} does not scale images "
                                "and requires images of one size; use the loader native",
                                fit.run.loader)};
  }
  if (set.random_crop > 0) {
    return Conflict{"dataset.random_crop",
                    "applies to images of one size; for images of any size use dataset.crop_scale"};
  }
  return {};
}

/// Checks the options of loaders that decode images, and the sample order.
MaybeConflict check_loader_options(const Fit& fit) {
  const contract::RunSpec& run = fit.run;
  const contract::LoaderOptions& options = run.loader_options;
  const bool makes_pictures = run.dataset.image_size > 0 && fit.loader.any_size;
  for (const auto& [key, is_set] :
       {std::pair{"loader_options.threads", options.threads > 0},
        std::pair{"loader_options.prefetch", options.prefetch > 0},
        std::pair{"loader_options.on_broken", !options.on_broken.empty()},
        std::pair{"loader_options.hand_over", !options.hand_over.empty()}}) {
    if (!is_set || !fit.loader.is_in_memory || makes_pictures) continue;
    return Conflict{key,
                    fmt::format("applies to loaders that decode images in the background, such "
                                "as native; {} keeps the samples of {} in memory; omit this key",
                                run.loader, run.dataset.kind)};
  }
  if (options.hand_over == "fp32" && run.precision == "fp64") {
    return Conflict{
        "loader_options.hand_over",
        "is fp32, but with the precision fp64 images are normalised on the device; omit this key"};
  }
  if (!options.sample_order.empty() && fit.data.samples != kImages) {
    return Conflict{"loader_options.sample_order",
                    fmt::format("is {}, but the texts of {} are sorted by length and have no other "
                                "order; omit this key",
                                options.sample_order, run.dataset.kind)};
  }
  return {};
}

MaybeConflict check_text(const Fit& fit) {
  const contract::DatasetSpec& set = fit.run.dataset;
  if (fit.data.samples != kImages) return {};
  for (const auto& [key, value] :
       {std::pair{"dataset.folds", set.folds}, std::pair{"dataset.fold", set.fold},
        std::pair{"dataset.vocabulary", set.vocabulary},
        std::pair{"dataset.min_count", set.min_count},
        std::pair{"dataset.max_length", set.max_length}}) {
    if (value == 0) continue;
    return Conflict{
        key, fmt::format("applies to texts, but the data set {} contains images; omit this key",
                         set.kind)};
  }
  return {};
}

MaybeConflict check_set(const Fit& fit) {
  const contract::DatasetSpec& set = fit.run.dataset;
  const bool is_synthetic = set.kind == "synthetic";
  for (const auto& [key, is_set] : {std::pair{"dataset.shape", !set.shape.empty()},
                                    std::pair{"dataset.classes", set.classes > 0}}) {
    if (!is_set || is_synthetic) continue;
    return Conflict{
        key,
        fmt::format("applies only to the data set synthetic; {} has a fixed value; omit this key",
                    set.kind)};
  }
  if (!set.sha256.empty() && fit.data.is_generated) {
    return Conflict{
        "dataset.sha256",
        fmt::format("the data set {} is generated and has no files; omit this key", set.kind)};
  }
  if (set.first_classes > 0 && fit.data.task != "classification") {
    return Conflict{"dataset.first_classes",
                    fmt::format("the data set {} has no classes; omit this key", set.kind)};
  }
  if (set.first_classes > 0 && is_synthetic) {
    return Conflict{"dataset.first_classes",
                    "does not apply to the data set synthetic; use dataset.classes"};
  }
  return {};
}

/// Checks that a CUDA graph does not record dropout. A replayed graph would use the same random
/// numbers in every step.
MaybeConflict check_drawing(const Fit& fit) {
  const contract::RunSpec& run = fit.run;
  if (!run.cuda_graph || !(fit.model.has_dropout || run.model_options.dropout > 0)) return {};
  return Conflict{
      "cuda_graph",
      fmt::format("is true, but {} {} random numbers in each pass (dropout), and a CUDA graph "
                  "would repeat the same numbers",
                  run.model, run.model.starts_with(contract::kScriptModel) ? "may draw" : "draws")};
}

/// Checks that an inference run sets no option that only training uses.
MaybeConflict check_inference(const Fit& fit) {
  const contract::RunSpec& run = fit.run;
  if (run.mode != "inference") return {};
  const contract::CheckpointSpec& checkpoint = run.checkpoint;
  const std::pair<const char*, bool> said[] = {
      {"accumulation_steps", run.accumulation_steps > 1},
      {"label_smoothing", run.label_smoothing > 0},
      {"clip_norm", run.clip_norm > 0},
      {"ema_decay", run.ema_decay > 0},
      {"target.accuracy", run.target.accuracy > 0},
      {"target.loss", run.target.loss > 0},
      {"target.bleu", run.target.bleu > 0},
      {"target.train_loss", run.target.train_loss > 0},
      {"steps", run.steps > 0},
      {"plateau_epochs", run.plateau_epochs > 0},
      {"evaluate_every", run.evaluate_every > 1},
      {"profile", run.profile},
      {"profile_epochs", run.profile_epochs > 0},
      {"cuda_graph", run.cuda_graph},
      {"checkpoint.every_epochs", checkpoint.every_epochs > 0},
      {"checkpoint.every_minutes", checkpoint.every_minutes > 0},
      {"checkpoint.keep", checkpoint.keep > 0},
      {"checkpoint.asynchronous", checkpoint.asynchronous},
      {"checkpoint.weights", checkpoint.weights}};
  for (const auto& [key, is_set] : said) {
    if (is_set)
      return Conflict{key, "applies only to training, but mode is \"inference\"; omit this key"};
  }
  return {};
}

/// Checks that label smoothing, the plateau test and the targets fit the task of the model.
MaybeConflict check_goals(const Fit& fit) {
  const contract::RunSpec& run = fit.run;
  const std::string& task = fit.model.task;
  if (run.label_smoothing > 0 && !fit.model.smooths_labels) {
    return Conflict{
        "label_smoothing",
        fmt::format("does not apply to {}, the task of {}; omit this key", task, run.model)};
  }
  if (run.plateau_epochs > 0 && task != "classification") {
    return Conflict{
        "plateau_epochs",
        fmt::format("applies only to classification, which is not the task of {}; omit this key",
                    run.model)};
  }
  if (run.target.accuracy > 0 && fit.model.input_is_target) {
    return Conflict{"target.accuracy",
                    run.model + " has no accuracy because its target is an image; use target.loss"};
  }
  if (run.target.bleu > 0 && task != "translation") {
    return Conflict{
        "target.bleu",
        fmt::format("applies only to translation, but the task of {} is {}; use {}target.loss",
                    run.model, task, fit.model.input_is_target ? "" : "target.accuracy or ")};
  }
  return {};
}

}  // namespace

std::optional<Conflict> find_conflict(const contract::Capabilities& build,
                                      const contract::RunSpec& run) {
  const bool is_script = run.model.starts_with(contract::kScriptModel);
  const contract::Traits* const model =
      build.traits_of("model", is_script ? std::string(contract::kScriptModel) : run.model);
  const contract::Traits* const data = build.traits_of("dataset", run.dataset.kind);
  const contract::Traits* const loader = build.traits_of("loader", run.loader);
  if (model == nullptr || data == nullptr || loader == nullptr) return {};
  for (const auto check : {&check_model, &check_stages, &check_loader, &check_augmentation,
                           &check_pictures, &check_loader_options, &check_text, &check_set,
                           &check_drawing, &check_inference, &check_goals}) {
    if (MaybeConflict found = check({run, *model, *data, *loader})) return found;
  }
  return {};
}

namespace {

constexpr int kLongestSide = 65536;
constexpr int kMostClasses = 65536;  // number of values of a 16-bit label
constexpr int kColours = 3;          // number of channels of images that loaders decode and crop

/// Returns the shape of the images that the model receives. Returns nothing if only the image files
/// define the shape and the run description does not.
std::optional<ImageExtents> extents_of(const contract::Traits& data,
                                       const contract::DatasetSpec& set) {
  if (set.image_size > 0) return ImageExtents{kColours, set.image_size, set.image_size};
  return image_extents(set.shape.empty() ? data.shape : set.shape);
}

std::optional<Conflict> check_image(const contract::RunSpec& run, const contract::Traits& model,
                                    const ImageExtents& image) {
  const auto [channels, height, width] = image;
  const int smallest = model.smallest_side;
  if (std::min(height, width) < smallest) {
    return Conflict{"model",
                    fmt::format("{} needs images of at least {}x{} pixels, but the images of the "
                                "data set {} have {}x{}",
                                run.model, smallest, smallest, run.dataset.kind, height, width)};
  }
  const int multiple = model.side_multiple;
  if (multiple > 0 && (height % multiple != 0 || width % multiple != 0)) {
    return Conflict{"model",
                    fmt::format("{} needs images with sides divisible by {}, but the images "
                                "of the data set {} have {}x{} pixels",
                                run.model, multiple, run.dataset.kind, height, width)};
  }
  const std::vector<int>& taken = model.channels;
  if (!taken.empty() && std::find(taken.begin(), taken.end(), channels) == taken.end()) {
    return Conflict{
        "model",
        fmt::format("{} needs images with {} channels, but the images of the data set {} have {}",
                    run.model, fmt::join(taken, " or "), run.dataset.kind, channels)};
  }
  return {};
}

/// Checks that a random crop keeps a part of every image. A random crop shifts the image over a
/// background of zeros. If the shift can be as large as the image, nothing of the image may remain.
std::optional<Conflict> check_crop_size(const contract::RunSpec& run, const ImageExtents& image) {
  const int crop = run.dataset.random_crop;
  if (crop == 0 || crop < std::min(image[1], image[2])) return {};
  return Conflict{"dataset.random_crop",
                  fmt::format("is {}, but the images have {}x{} pixels, so a crop could remove a "
                              "whole image; use a smaller number",
                              crop, image[1], image[2])};
}

/// Checks that an epoch has at least one full batch if the last batch is dropped.
std::optional<Conflict> check_step_count(const contract::RunSpec& run,
                                         const contract::Traits& data) {
  const contract::DatasetSpec& set = run.dataset;
  const std::int64_t samples = set.train_samples > 0 ? set.train_samples : data.train_samples;
  if (run.last_batch != "drop" || samples == 0 || set.folds > 0) return {};
  if (samples >= run.global_batch) return {};
  return Conflict{
      "last_batch",
      fmt::format("is drop, which leaves no training step: {} training samples are fewer "
                  "than a global batch of {}; use pad, a smaller batch or more samples",
                  samples, run.global_batch)};
}

}  // namespace

std::optional<ImageExtents> image_extents(std::string_view text) {
  ImageExtents extents{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (i > 0 && (at == end || *at++ != 'x')) return std::nullopt;
    const auto [next, error] = std::from_chars(at, end, extents[i]);
    if (error != std::errc() || extents[i] < 1 || extents[i] > kLongestSide) return std::nullopt;
    at = next;
  }
  if (at != end) return std::nullopt;
  return extents;
}

std::optional<Conflict> find_synthetic_conflict(const contract::DatasetSpec& set) {
  if (!set.shape.empty() && !image_extents(set.shape)) {
    return Conflict{
        "dataset.shape",
        fmt::format("\"{}\" is not a shape; write channels x height x width, each from 1 "
                    "to {}, for example \"3x224x224\"",
                    set.shape, kLongestSide)};
  }
  if (set.classes < 0 || set.classes > kMostClasses) {
    return Conflict{"dataset.classes",
                    fmt::format("must be between 1 and {1} (got {0})", set.classes, kMostClasses)};
  }
  return {};
}

std::optional<Conflict> find_input_conflict(const contract::Capabilities& build,
                                            const contract::RunSpec& run) {
  const bool is_script = run.model.starts_with(contract::kScriptModel);
  const contract::Traits* const model =
      build.traits_of("model", is_script ? std::string(contract::kScriptModel) : run.model);
  const contract::Traits* const data = build.traits_of("dataset", run.dataset.kind);
  if (model == nullptr || data == nullptr) return {};
  if (run.dataset.kind == "synthetic") {
    if (auto conflict = find_synthetic_conflict(run.dataset)) return conflict;
  }
  if (data->samples == "images") {
    if (const auto image = extents_of(*data, run.dataset)) {
      if (auto conflict = check_image(run, *model, *image)) return conflict;
      if (auto conflict = check_crop_size(run, *image)) return conflict;
    }
  }
  return check_step_count(run, *data);
}

}  // namespace dlscale::validation
