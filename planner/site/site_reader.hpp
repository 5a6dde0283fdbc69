// SPDX-License-Identifier: Apache-2.0
// Reads a site file. docs/study-format.md describes every key.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "planner/site/site.hpp"

namespace dlscale::planner {

/// Returns the site in a text. A relative path of the capabilities file is relative to the folder
/// of the site file. Throws base::SpecError with place, key and the nearest name.
Site read_site(std::string_view text, const std::filesystem::path& file);

/// Returns the file of a site: a `site` that ends in .toml is itself the path, and a name stands
/// for `folder`/<name>.toml. Throws base::UsageError with the list of known sites.
std::filesystem::path site_file(const std::string& site, const std::filesystem::path& folder);

}  // namespace dlscale::planner
