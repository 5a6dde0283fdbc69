// SPDX-License-Identifier: Apache-2.0
// Reads a site file. docs/study-format.md describes every key.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "planner/site/site.hpp"

namespace dlscale::planner {

/// Returns the site that `text` (TOML) describes. If the path of the capabilities file is relative,
/// it is relative to the folder of `file`. Throws base::SpecError for an invalid text. The error
/// states the place, the key and the most similar valid name.
Site read_site(std::string_view text, const std::filesystem::path& file);

/// Returns the path of a site file. If `site` ends in .toml, it is the path itself. Otherwise the
/// file is `folder`/<site>.toml. Throws base::UsageError with the list of known sites if there is
/// no such file in `folder`.
std::filesystem::path site_file(const std::string& site, const std::filesystem::path& folder);

}  // namespace dlscale::planner
