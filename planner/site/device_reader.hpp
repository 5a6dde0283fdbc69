// SPDX-License-Identifier: Apache-2.0
// Reads GPU data sheets. docs/prediction-model.md describes every key.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "predict/roofline.hpp"

namespace dlscale::planner {

/// Returns the device in a text. The name of the device is the stem of its file name. Throws
/// base::SpecError with place, key and the nearest name.
predict::Device read_device(std::string_view text, const std::filesystem::path& file);

/// Returns the device named `name` in `folder`, or the only device whose name starts with `name`
/// ("h100"). A `name` that ends in .toml is the path of the device's file. Throws base::UsageError
/// with the nearest name, or with all names that start with `name`, and base::SpecError for a
/// broken file.
predict::Device find_device(const std::string& name, const std::filesystem::path& folder);

/// Returns the names of all devices in a folder, sorted.
std::vector<std::string> devices_in(const std::filesystem::path& folder);

}  // namespace dlscale::planner
