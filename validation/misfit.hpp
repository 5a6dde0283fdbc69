// SPDX-License-Identifier: Apache-2.0
// Which data, loaders, models and settings of a run do not go together.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "contract/records/capabilities.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::validation {

/// Something that cannot work, or would be without effect.
struct Misfit {
  std::string key;     ///< in run.json
  std::string reason;  ///< what is wrong with its value
  bool operator==(const Misfit&) const = default;
};

/// The first that `build` refuses in `run`, a run of dlscale-train. Nothing is found where `build`
/// has no traits of the model, data set or loader.
std::optional<Misfit> find_misfit(const contract::Capabilities& build,
                                  const contract::RunSpec& run);

// Which images and numbers of samples a run cannot be trained on.

/// Channels, height and width of an image.
using ImageExtents = std::array<int, 3>;

/// Reads "3x224x224". Returns nothing for a text that is not three whole numbers from 1 to 65,536.
std::optional<ImageExtents> image_extents(std::string_view text);

/// Returns the first setting that the generated data set `synthetic` cannot be made from.
std::optional<Misfit> find_synthetic_misfit(const contract::DatasetSpec& set);

/// Returns the first reason for which `build` refuses the images or the samples of `run`, as far as
/// the description says what they are: images in files without dataset.image_size can have any
/// size.
std::optional<Misfit> find_input_misfit(const contract::Capabilities& build,
                                        const contract::RunSpec& run);

}  // namespace dlscale::validation
