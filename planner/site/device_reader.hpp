// SPDX-License-Identifier: Apache-2.0
// Reads what data sheets say of GPUs; docs/prediction-model.md describes every key.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "predict/roofline.hpp"

namespace dlscale::planner {

/// Throws base::SpecError with place, key and the nearest name. The device is called as its file.
predict::Device read_device(std::string_view text, const std::filesystem::path& file);

/// The device of that name in `folder`, or the one whose name alone begins so ("h100"); a path that
/// ends in .toml is itself. Throws base::UsageError with the nearest name, or with all that begin
/// so, base::SpecError.
predict::Device find_device(const std::string& name, const std::filesystem::path& folder);

/// All of a folder, by name.
std::vector<std::string> devices_in(const std::filesystem::path& folder);

}  // namespace dlscale::planner
