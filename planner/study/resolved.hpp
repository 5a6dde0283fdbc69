// SPDX-License-Identifier: Apache-2.0
// A study with everything said that is left to defaults, other files and the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "planner/study/study_reader.hpp"

namespace dlscale::planner {

/// One TOML text that plans the same runs: what the study extends and `-S` are in it, and where the
/// study says nothing in [study] and [training], the defaults are. Those of axes stand in a
/// comment, for as axes they would be part of each point. The study is not checked; throws
/// base::SpecError for what cannot be read at all.
std::string resolved_study(std::string_view text, const std::string& file,
                           const std::vector<std::string>& overrides,
                           const FileReader& read = read_from_disk);

}  // namespace dlscale::planner
