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

/// Returns the first setting of `run`, a run of dlscale-train, that cannot work or has no effect.
/// `build` describes a build of dlscale-train. Returns nothing if `build` does not describe the
/// model, data set or loader of `run`.
std::optional<Conflict> find_conflict(const contract::Capabilities& build,
                                      const contract::RunSpec& run);

// Checks of the image size and the number of training samples.

/// Number of channels, height and width of an image. Height and width are in pixels.
using ImageExtents = std::array<int, 3>;

/// Reads the shape of an image, such as "3x224x224". Returns nothing unless the text consists of
/// three whole numbers from 1 to 65,536.
std::optional<ImageExtents> image_extents(std::string_view text);

/// Returns the first invalid setting of the generated data set `synthetic`: its shape or its number
/// of classes.
std::optional<Conflict> find_synthetic_conflict(const contract::DatasetSpec& set);

/// Returns the first reason why `build` rejects the image size or the number of samples of `run`.
/// The image size is checked only if the run description defines it. If dataset.image_size is not
/// set, image files can have any size.
std::optional<Conflict> find_input_conflict(const contract::Capabilities& build,
                                            const contract::RunSpec& run);

}  // namespace dlscale::validation
