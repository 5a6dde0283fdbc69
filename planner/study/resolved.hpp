// SPDX-License-Identifier: Apache-2.0
// Writes out a study with all values from defaults, other files and the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "planner/study/study_reader.hpp"

namespace dlscale::planner {

/// Returns a TOML text that plans the same runs. The text contains what the study extends, the `-S`
/// changes, and the defaults of missing keys in [study] and [training]. Defaults of axes are stated
/// in a comment, because as axes they would become part of each point. The study is not checked.
/// Throws base::SpecError for text that cannot be parsed.
std::string resolved_study(std::string_view text, const std::string& file,
                           const std::vector<std::string>& overrides,
                           const FileReader& read = read_from_disk);

}  // namespace dlscale::planner
