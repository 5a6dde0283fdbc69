// SPDX-License-Identifier: Apache-2.0
// Finds data sets, loaders, models and settings of a run that are incompatible.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "contract/records/capabilities.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::validation {

/// Setting of a run that cannot work with the other settings or has no effect.
struct Conflict {
  std::string key;     ///< key of the setting in run.json
  std::string reason;  ///< description of the problem with the value
  bool operator==(const Conflict&) const = default;
};

/// Returns the first setting of `run` that `build` rejects. `run` is a run of dlscale-train.
/// Returns nothing if `build` has no traits for the model, data set or loader of `run`.
std::optional<Conflict> find_conflict(const contract::Capabilities& build,
                                      const contract::RunSpec& run);

// Checks of the image size and the number of training samples.

/// Number of channels, height and width of an image. Height and width are in pixels.
using ImageExtents = std::array<int, 3>;

/// Reads the shape of an image, such as "3x224x224". Returns nothing if the text is not three whole
/// numbers from 1 to 65,536.
std::optional<ImageExtents> image_extents(std::string_view text);

/// Returns the first invalid setting in `set`, the description of the generated data set
/// `synthetic`: the shape or the number of classes.
std::optional<Conflict> find_synthetic_conflict(const contract::DatasetSpec& set);

/// Returns the first reason why `build` rejects the images or the number of samples of `run`.
/// Checks the image size only if the run description defines the size. Images in files can have any
/// size if dataset.image_size is not set.
std::optional<Conflict> find_input_conflict(const contract::Capabilities& build,
                                            const contract::RunSpec& run);

}  // namespace dlscale::validation
