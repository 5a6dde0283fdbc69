// SPDX-License-Identifier: Apache-2.0
// Reads GPU data sheets. docs/prediction-model.md describes every key.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "predict/roofline.hpp"

namespace dlscale::planner {

/// Returns the device that `text` (TOML) describes. The name of the device is the name of `file`
/// without its extension. Throws base::SpecError for an invalid text. The error states the place,
/// the key and the most similar valid name.
predict::Device read_device(std::string_view text, const std::filesystem::path& file);

/// Returns the device named `name` in `folder`, or the only device whose name starts with `name`
/// ("h100"). If `name` ends in .toml, it is the path of the device's file. Throws base::UsageError
/// for an unknown name and for an ambiguous name. For an unknown name, the message suggests the
/// most similar name. For an ambiguous name, the message lists all names that start with it. Throws
/// base::SpecError for a broken file.
predict::Device find_device(const std::string& name, const std::filesystem::path& folder);

/// Returns the names of all devices in a folder, sorted.
std::vector<std::string> devices_in(const std::filesystem::path& folder);

}  // namespace dlscale::planner
