// SPDX-License-Identifier: Apache-2.0
#include "validation/input_misfit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace dlscale::validation {
namespace {

constexpr int kLongestSide = 65536;
constexpr int kMostClasses = 65536;  // labels have 16 bits
constexpr int kColours = 3;          // of images that loaders cut out of pictures

/// Returns the shape of an image as the model gets it; nothing where only the files show it.
std::optional<ImageExtents> extents_of(const contract::Traits& data,
                                       const contract::DatasetSpec& set) {
  if (set.image_size > 0) return ImageExtents{kColours, set.image_size, set.image_size};
  return image_extents(set.shape.empty() ? data.shape : set.shape);
}

std::optional<Misfit> check_image(const contract::RunSpec& run, const contract::Traits& model,
                                  const ImageExtents& image) {
  const auto [channels, height, width] = image;
  const int smallest = model.smallest_side;
  if (std::min(height, width) < smallest) {
    return Misfit{"model",
                  fmt::format("{} needs images of at least {}x{} pixels, but those of the data set "
                              "{} have {}x{}",
                              run.model, smallest, smallest, run.dataset.kind, height, width)};
  }
  const int multiple = model.side_multiple;
  if (multiple > 0 && (height % multiple != 0 || width % multiple != 0)) {
    return Misfit{"model", fmt::format("{} needs images whose sides can be divided by {}, but "
                                       "those of the data set {} have {}x{} pixels",
                                       run.model, multiple, run.dataset.kind, height, width)};
  }
  const std::vector<int>& taken = model.channels;
  if (!taken.empty() && std::find(taken.begin(), taken.end(), channels) == taken.end()) {
    return Misfit{"model",
                  fmt::format("{} needs images of {} channels, but those of the data set "
                              "{} have {}",
                              run.model, fmt::join(taken, " or "), run.dataset.kind, channels)};
  }
  return {};
}

/// A random crop moves the image over zeros; it must not move the whole image away.
std::optional<Misfit> check_crop_size(const contract::RunSpec& run, const ImageExtents& image) {
  const int crop = run.dataset.random_crop;
  if (crop == 0 || crop < std::min(image[1], image[2])) return {};
  return Misfit{"dataset.random_crop",
                fmt::format("is {}, but the images have {}x{} pixels, so that nothing of some "
                            "would be left; use a smaller number",
                            crop, image[1], image[2])};
}

/// An epoch needs at least one whole batch where the last batch is dropped.
std::optional<Misfit> check_step_count(const contract::RunSpec& run, const contract::Traits& data) {
  const contract::DatasetSpec& set = run.dataset;
  const std::int64_t samples = set.train_samples > 0 ? set.train_samples : data.train_samples;
  if (run.last_batch != "drop" || samples == 0 || set.folds > 0) return {};
  if (samples >= run.global_batch) return {};
  return Misfit{"last_batch",
                fmt::format("is drop, which leaves no step: {} training samples are fewer than a "
                            "global batch of {}; use pad, a smaller batch or more samples",
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

std::optional<Misfit> find_synthetic_misfit(const contract::DatasetSpec& set) {
  if (!set.shape.empty() && !image_extents(set.shape)) {
    return Misfit{"dataset.shape",
                  fmt::format("\"{}\" is not channels x height x width of 1 to {} each, such as "
                              "\"3x224x224\"",
                              set.shape, kLongestSide)};
  }
  if (set.classes < 0 || set.classes > kMostClasses) {
    return Misfit{"dataset.classes",
                  fmt::format("is {}, but must be 1 to {}", set.classes, kMostClasses)};
  }
  return {};
}

std::optional<Misfit> find_input_misfit(const contract::Capabilities& build,
                                        const contract::RunSpec& run) {
  const bool is_script = run.model.starts_with(contract::kScriptModel);
  const contract::Traits* const model =
      build.traits_of("model", is_script ? std::string(contract::kScriptModel) : run.model);
  const contract::Traits* const data = build.traits_of("dataset", run.dataset.kind);
  if (model == nullptr || data == nullptr) return {};
  if (run.dataset.kind == "synthetic") {
    if (auto misfit = find_synthetic_misfit(run.dataset)) return misfit;
  }
  if (data->samples == "images") {
    if (const auto image = extents_of(*data, run.dataset)) {
      if (auto misfit = check_image(run, *model, *image)) return misfit;
      if (auto misfit = check_crop_size(run, *image)) return misfit;
    }
  }
  return check_step_count(run, *data);
}

}  // namespace dlscale::validation
