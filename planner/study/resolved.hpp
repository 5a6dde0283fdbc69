// SPDX-License-Identifier: Apache-2.0
// Writes a study as one text that contains all values from defaults, other files and the command
// line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "planner/study/study_reader.hpp"

namespace dlscale::planner {

/// Returns a TOML text that plans the same runs as the study `text`. The returned text contains
/// what the study extends, the `-S` changes in `overrides`, and the defaults of missing keys in
/// [study] and [training]. Defaults of axes appear in a comment, because as axes they would become
/// part of each point. The values of the study are not checked. Throws base::SpecError for text
/// that cannot be parsed.
std::string resolved_study(std::string_view text, const std::string& file,
                           const std::vector<std::string>& overrides,
                           const FileReader& read = read_from_disk);

}  // namespace dlscale::planner
