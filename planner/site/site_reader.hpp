// SPDX-License-Identifier: Apache-2.0
// Reads a site file; docs/study-format.md describes every key.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "planner/site/site.hpp"

namespace dlscale::planner {

/// Throws base::SpecError with place, key and the nearest name. A relative capabilities file is
/// looked for beside the site file.
Site read_site(std::string_view text, const std::filesystem::path& file);

/// The file of a site: a path that ends in .toml is itself, a name is `folder`/<name>.toml.
/// Throws base::UsageError listing the sites there are.
std::filesystem::path site_file(const std::string& site, const std::filesystem::path& folder);

}  // namespace dlscale::planner
